// Everything of a backend of the reference product, as documents: asked of its API, or read from a dump.
import { ApiClient, type Json } from '../client/api-client.ts';
import { logIn, transportOf } from '../client/tokens.ts';
import { CtlError, RefusedError } from '../failure.ts';
import { type KindAddress, kindAddresses, listPath } from '../kinds/addresses.ts';
import { wrapped } from '../output/documents.ts';
import { at } from '../output/values.ts';
import type { Session } from '../session.ts';
import { readUrl } from '../settings/settings.ts';
import { type Described, type DocumentError, readDocuments } from '../sources/documents.ts';
import { readSources, type Source } from '../sources/read-sources.ts';
import type { Report } from './report.ts';

const flagOf = (session: Session, name: string): string | undefined => {
  const value = session.given[name] ?? session.streams.env[`MON_${name.toUpperCase().replaceAll('-', '_')}`];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** A client of the other backend. Its credentials may stand in variables: arguments are seen by every user of the machine. */
const connect = async (session: Session, address: string): Promise<ApiClient> => {
  const url = readUrl(address);
  const transport = transportOf(session.settings, session.streams.env);
  const [key, token, username, password] = [
    'from-api-key',
    'from-token',
    'from-username',
    'from-password',
  ].map((name) => flagOf(session, name));
  const fixed = (authorization: string): ApiClient =>
    new ApiClient(url, transport, { authorization: async () => authorization, renew: async () => undefined });
  if (key !== undefined) return fixed(`Key ${key}`);
  if (token !== undefined) return fixed(`Bearer ${token}`);
  if (username === undefined || password === undefined)
    throw new CtlError(
      'give --from-api-key, --from-token, or --from-username and --from-password (also as MON_FROM_API_KEY and the like)',
    );
  const log = () =>
    logIn(url, transport, username, password).then(({ access_token }) => `Bearer ${access_token}`);
  let authorization = await log();
  // A long import outlives an access token.
  return new ApiClient(url, transport, {
    authorization: async () => authorization,
    renew: async () => (authorization = await log()),
  });
};

/** Kinds of the reference product that nothing here is like, where its API lists them. */
const elsewhere: Readonly<Record<string, string>> = {
  '/api/enterprise/searches/v1/searches': 'Search',
  '/api/enterprise/web/v1/config': 'GlobalConfig',
  '/api/enterprise/federation/v1/clusters': 'Cluster',
  '/api/enterprise/federation/v1/etcd-replicators': 'EtcdReplicator',
  '/api/enterprise/store/v1/provider': 'PostgresConfig',
  '/api/enterprise/bsm/v1/service-components': 'ServiceComponent',
  '/api/enterprise/bsm/v1/rule-templates': 'RuleTemplate',
  '/api/enterprise/pipeline/v1/sumo-logic-metrics-handlers': 'SumoLogicMetricsHandler',
  '/api/enterprise/pipeline/v1/tcp-stream-handlers': 'TCPStreamHandler',
};

const listOrNothing = async (client: ApiClient, path: string): Promise<readonly Json[]> => {
  try {
    return await client.list(path);
  } catch (error) {
    // Not licensed, not allowed, not there.
    if (error instanceof RefusedError && [402, 403, 404].includes(error.status)) return [];
    throw error;
  }
};

const pathOf = (kind: KindAddress): string => listPath(kind, undefined);

const readLive = async (session: Session, address: string, report: Report): Promise<readonly Source[]> => {
  const client = await connect(session, address);
  const found: Source[] = [];
  for (const kind of kindAddresses) {
    const items = await listOrNothing(client, pathOf(kind));
    for (const item of items) {
      // Kinds whose API is unwrapped may come wrapped anyway.
      const whole = item.spec !== undefined && item.type !== undefined ? item : wrapped(item, kind);
      found.push({ name: `${address}${pathOf(kind)}`, text: JSON.stringify(whole) });
    }
  }
  for (const [path, type] of Object.entries(elsewhere)) {
    const items = await listOrNothing(client, path);
    for (const item of items)
      report.leaveOut(`${type} ${String(at(item, 'metadata.name') ?? '')}`, 'there is nothing like it here');
  }
  return found;
};

/** Made with the store, or with each namespace: those of this backend stay. */
const seeds: ReadonlySet<string> = new Set([
  ...[
    'ClusterRole/cluster-admin',
    'ClusterRole/admin',
    'ClusterRole/edit',
    'ClusterRole/view',
    'ClusterRole/system:agent',
    'ClusterRole/system:user',
  ],
  ...[
    'ClusterRole/system:pipeline',
    'ClusterRoleBinding/cluster-admin',
    'ClusterRoleBinding/system:agent',
    'ClusterRoleBinding/system:user',
  ],
  ...[
    'ClusterRoleBinding/system:pipeline',
    'Role/system:pipeline',
    'RoleBinding/system:pipeline',
    'User/agent',
    'User/admin',
  ],
]);

/** Why a resource is left out; undefined when it is written. */
const reasonToLeave = ({ kind, name, body }: Described, nowSeconds: number): string | undefined => {
  if (seeds.has(`${kind.type}/${name}`)) return 'every backend makes its own; it stays as it is here';
  if (kind.path === 'namespaces' && name === 'default') return undefined;
  if (kind.path === 'apikeys')
    return 'keys can not be read back; grant a new one with "mon-ctl api-key grant"';
  if (kind.path === 'users' && !body.password && !body.password_hash)
    return 'passwords can not be read back; create it with "mon-ctl user create"';
  const end = at(body, 'expire_at');
  if (kind.path === 'silenced' && typeof end === 'number' && end > 0 && end < nowSeconds) return 'it is over';
  const text = JSON.stringify(body);
  if ((kind.path === 'authproviders' || kind.path === 'providers') && text.includes('REDACTED'))
    return 'its passwords can not be read back; write them into the definition and create it';
  return undefined;
};

/** What is said of a type, where there is more to say than that it is unknown. */
const withoutCounterpart: Readonly<Record<string, string>> = {
  TessenConfig:
    'nothing is ever sent from here; "mon-ctl tessen opt-out" stores the setting for clients that read it',
};

/** What is to be written. Documents of types unknown here are reported; text that can't be read stops the import. */
export const readReference = async (session: Session, report: Report): Promise<readonly Described[]> => {
  const address = flagOf(session, 'from-url');
  if (address !== undefined && session.given.file !== undefined)
    throw new CtlError('--from-url and --file exclude each other');
  const sources =
    address === undefined ? await readSources(session) : await readLive(session, address, report);
  const unknown = (error: DocumentError): void => {
    const type = /unknown type "([^"]+)"/.exec(error.reason)?.[1];
    if (type === undefined) throw error;
    const name = /["']?name["']?: *["']?([\w.:/-]+)/.exec(error.document.text)?.[1] ?? '';
    report.leaveOut(`${type} ${name}`.trim(), withoutCounterpart[type] ?? 'there is nothing like it here');
  };
  const all = await readDocuments(sources, session.settings.namespace, unknown);
  const nowSeconds = Date.now() / 1000;
  return all.filter((resource) => {
    const why = reasonToLeave(resource, nowSeconds);
    if (why !== undefined) report.leaveOut(`${resource.kind.type} ${resource.name}`, why);
    return why === undefined;
  });
};
