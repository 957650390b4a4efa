// Authentication providers: LDAP and AD directories and OIDC issuers that users log in through. Always in wrapped form; `type` is `ldap`, `ad` or `oidc`.
import { z } from 'zod';
import { metadataSchema } from '../resource/metadata.ts';
import { nameFault } from '../resource/names.ts';
import { type Decoded, decode } from '../schema/decode.ts';
import { flag, list, optionalStringList, text, unsigned } from '../schema/quick-types.ts';

export const authApiVersion = 'authentication/v2';
export const authProviderTypes = ['ldap', 'ad', 'oidc'] as const;
type AuthProviderType = (typeof authProviderTypes)[number];

const securityModes = ['tls', 'starttls', 'insecure'] as const;

const searchSchema = (attribute: string, nameAttribute: string, objectClass: string) =>
  z.object({
    base_dn: text('').describe('Where the search begins, e.g. dc=example,dc=org.'),
    attribute: text(attribute).describe('Attribute that is compared with the name or the DN of the user.'),
    name_attribute: text(nameAttribute).describe('Attribute with the name to use here.'),
    object_class: text(objectClass).describe('Only entries of this class.'),
  });

const serverSchema = (type: 'ldap' | 'ad') => {
  const group = searchSchema('member', 'cn', type === 'ad' ? 'group' : 'groupOfNames');
  const user =
    type === 'ad'
      ? searchSchema('sAMAccountName', 'displayName', 'person')
      : searchSchema('uid', 'cn', 'person');
  return z
    .object({
      host: text('').describe('Host name or address.'),
      port: unsigned(0).describe('Port; 0: 636 with security tls, otherwise 389.'),
      insecure: flag(false).describe('Whether any certificate is accepted; for tests only.'),
      security: text('tls').meta({
        description: 'How the connection is secured.',
        'x-allowed': securityModes,
      }),
      trusted_ca_file: text('').describe(
        'File of authorities (PEM) to trust, on the machine of the backend.',
      ),
      client_cert_file: text('').describe('File of the client certificate (PEM).'),
      client_key_file: text('').describe('File of its key (PEM).'),
      /** Null means an anonymous bind. */
      binding: z
        .object({
          user_dn: text('').describe('DN to bind with.'),
          password: text('').describe('Its password; hidden when read back.'),
        })
        .nullable()
        .default(null)
        .describe('Who searches; null: anonymous.'),
      default_upn_domain: text('').describe('Domain added to names without one (Active Directory).'),
      include_nested_groups: flag().optional().describe('Whether groups of groups count (Active Directory).'),
      /** Without a group search, groups are read from the user's own entry. */
      group_search: group
        .nullish()
        .transform((search) => search ?? { base_dn: '', attribute: '', name_attribute: '', object_class: '' })
        .describe('How groups are found; none: they are read from the entry of the user.'),
      user_search: user.default(() => user.parse({})).describe('How users are found.'),
    })
    .transform((server) => ({ ...server, port: server.port || (server.security === 'tls' ? 636 : 389) }));
};

const directorySpec = (type: 'ldap' | 'ad') =>
  z.object({
    servers: list(serverSchema(type))
      .nullish()
      .transform((servers) => servers ?? [])
      .describe('Servers that are asked one after the other.'),
    allowed_groups: optionalStringList().describe('Only these groups count; none: all but reserved ones.'),
    groups_prefix: text('').describe('Put before the name of each group.'),
    username_prefix: text('').describe('Put before the user name.'),
  });

const oidcSpec = z.object({
  additional_scopes: optionalStringList().describe('Scopes asked for besides openid.'),
  client_id: text('').describe('Id of this site at the issuer.'),
  client_secret: text('').describe('Its secret; hidden when read back.'),
  disable_offline_access: flag(false).describe('Whether no refresh token is asked for.'),
  redirect_uri: text('').describe('Address the issuer sends the browser back to.'),
  /** URL of the OIDC issuer. */
  server: text('').describe('Address of the issuer.'),
  allowed_groups: optionalStringList().describe('Only these groups count; none: all but reserved ones.'),
  groups_claim: text('').describe('Claim that holds the groups.'),
  groups_prefix: text('').describe('Put before the name of each group.'),
  username_claim: text('').describe('Claim that holds the user name.'),
  username_prefix: text('').describe('Put before the user name.'),
});

const provider = <T extends AuthProviderType, S extends z.ZodType>(type: T, spec: S) =>
  z.object({
    type: z.literal(type).describe('Sort of the provider.'),
    api_version: text(authApiVersion).describe('Always authentication/v2.'),
    metadata: metadataSchema.default({ name: '' }).describe('Name of the provider.'),
    spec: spec.describe('Settings of the provider.'),
  });

const ldapProviderSchema = provider('ldap', directorySpec('ldap'));
const adProviderSchema = provider('ad', directorySpec('ad'));
const oidcProviderSchema = provider('oidc', oidcSpec);

export const authProviderSchema = z.discriminatedUnion('type', [
  ldapProviderSchema,
  adProviderSchema,
  oidcProviderSchema,
]);
export type AuthProvider = z.infer<typeof authProviderSchema>;
export type DirectoryProvider = z.infer<typeof ldapProviderSchema> | z.infer<typeof adProviderSchema>;
export type DirectoryServer = DirectoryProvider['spec']['servers'][number];
export type OidcProvider = z.infer<typeof oidcProviderSchema>;

export const authSecretPaths = [
  ['spec', 'servers', '*', 'binding', 'password'],
  ['spec', 'client_secret'],
] as const;

/** Decodes a provider. `type` is matched case-insensitively. */
export const decodeAuthProvider = (raw: unknown): Decoded<AuthProvider> => {
  const { type, spec, ...rest } = (raw ?? {}) as Record<string, unknown>;
  const known = authProviderTypes.find((word) => word === String(type ?? '').toLowerCase());
  if (known === undefined)
    return { ok: false, message: `error parsing spec: type could not be found: "${type ?? ''}"` };
  if (spec === undefined || spec === null) return { ok: false, message: 'spec is required' };
  return decode(authProviderSchema, { ...rest, type: known, spec }, '');
};

const serverFault = (server: DirectoryServer, where: string): string | null => {
  const { binding, group_search: group, user_search: user } = server;
  const modes: readonly string[] = securityModes;
  if (server.host === '') return `${where}.host must be set`;
  if (server.port > 65_535) return `${where}.port must be at most 65535 (got ${server.port})`;
  if (!modes.includes(server.security)) {
    return `${where}.security must be one of ${modes.join(', ')} (got "${server.security}")`;
  }
  if (binding !== null && binding.user_dn === '') return `${where}.binding.user_dn must be set`;
  if (binding !== null && binding.password === '') return `${where}.binding.password must be set`;
  if (group.attribute !== '' && group.base_dn === '') return `${where}.group_search.base_dn must be set`;
  return user.base_dn === '' ? `${where}.user_search.base_dn must be set` : null;
};

const directoryFault = ({ spec }: DirectoryProvider): string | null => {
  if (spec.servers.length === 0) return 'spec.servers must contain at least one server';
  for (const [index, server] of spec.servers.entries()) {
    const why = serverFault(server, `spec.servers[${index}]`);
    if (why !== null) return why;
  }
  return null;
};

const oidcFault = ({ spec }: OidcProvider): string | null => {
  for (const field of ['client_id', 'client_secret', 'server'] as const) {
    if (spec[field] === '') return `spec.${field} must be set`;
  }
  return URL.canParse(spec.server) ? null : `spec.server must be a URL (got "${spec.server}")`;
};

export const validateAuthProvider = (provider: AuthProvider): string | null => {
  if (provider.api_version !== authApiVersion) {
    return `api_version must be "${authApiVersion}" (got "${provider.api_version}")`;
  }
  return (
    nameFault('provider name', provider.metadata.name) ??
    (provider.metadata.namespace ? 'authentication providers cannot have a namespace' : null) ??
    (provider.type === 'oidc' ? oidcFault(provider) : directoryFault(provider))
  );
};
