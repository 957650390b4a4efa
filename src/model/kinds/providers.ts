// External services the backend queries: directories and OIDC issuers for users, stores for secrets. Always
// wrapped.
import {
  authApiVersion,
  authProviderSchema,
  authProviderTypes,
  authSecretPaths,
  decodeAuthProvider,
  validateAuthProvider,
} from '../access/auth-provider.ts';
import { secretSchema, secretsApiVersion, validateSecret } from '../access/secret.ts';
import {
  gatherClient,
  providerSecretPaths,
  providerTypes,
  secretsProviderSchema,
  validateSecretsProvider,
} from '../access/secrets-provider.ts';
import { defineKind } from '../resource/resource-kind.ts';
import { lowerWrapperKeys } from '../resource/wrapped.ts';
import { decode } from '../schema/decode.ts';

export const authProviderKind = defineKind({
  type: 'ldap',
  types: authProviderTypes,
  apiVersion: authApiVersion,
  path: 'authproviders',
  summary: 'a directory or OIDC issuer that users can log in through',
  namespaced: false,
  wrapped: true,
  routes: 'authProvider',
  operations: ['list', 'get', 'put', 'delete'],
  schema: authProviderSchema,
  selectorPrefix: 'authprovider',
  subject: '',
  decode: (raw) => decodeAuthProvider(lowerWrapperKeys(raw)),
  validate: validateAuthProvider,
  secretPaths: authSecretPaths,
});

export const secretsProviderKind = defineKind({
  type: 'StoreProvider',
  types: providerTypes,
  apiVersion: secretsApiVersion,
  path: 'providers',
  summary: 'a service that secrets are fetched from',
  namespaced: false,
  wrapped: true,
  routes: 'secretsProvider',
  operations: ['list', 'get', 'put', 'delete'],
  schema: secretsProviderSchema,
  alsoKnown: ['spec.max_retries', 'spec.timeout', 'spec.rate_limiter'],
  selectorPrefix: 'provider',
  subject: '',
  decode: (raw) => decode(secretsProviderSchema, gatherClient(lowerWrapperKeys(raw)), ''),
  validate: validateSecretsProvider,
  secretPaths: providerSecretPaths,
});

export const secretKind = defineKind({
  type: 'Secret',
  apiVersion: secretsApiVersion,
  path: 'secrets',
  summary: 'a named reference to a value in a secrets provider',
  namespaced: true,
  wrapped: true,
  routes: 'secret',
  operations: ['list', 'listAll', 'get', 'put', 'delete'],
  schema: secretSchema,
  selectorPrefix: 'secret',
  subject: '',
  decode: (raw) => decode(secretSchema, lowerWrapperKeys(raw), ''),
  validate: validateSecret,
  fields: ({ spec }) => ({ provider: spec.provider, id: spec.id }),
});
