// Converts a broker URL from a flag to the scopes that configuration files use.
import type { Json } from '../../model/earlier/json.ts';
import { brokerHeartbeatSeconds } from './limits.ts';

/** Paths of PEM files; empty means none. */
export interface BrokerFiles {
  /** The authority of the broker's certificate; empty means those of the system. */
  readonly caFile: string;
  /** Our client certificate and its key. */
  readonly certFile: string;
  readonly keyFile: string;
}

/** The `redis` or `rabbitmq` scope of a configuration. */
export type NamedBroker =
  | { readonly type: 'redis'; readonly redis: Json }
  | { readonly type: 'rabbitmq'; readonly rabbitmq: Json };

const forms = [
  'redis[s]://[:password@]host[:port][/database]',
  'redis-sentinel://[:password@]host[:port][;host[:port]...][/database]#master',
  'amqp[s]://[user:password@]host[:port][/vhost]',
];

export class BrokerUrlError extends Error {
  override readonly name = 'BrokerUrlError';
  constructor() {
    super(`a broker URL must have one of these forms: ${forms.join(', ')}`);
  }
}

/** Removes empty entries. */
const given = (entries: Json): Json =>
  Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined && value !== ''));

const tlsOf = ({ caFile, certFile, keyFile }: BrokerFiles): Json =>
  given({ verify_peer: true, ca_file: caFile, cert_chain_file: certFile, private_key_file: keyFile });

const urlPattern = /^(\w[\w-]*):\/\/(?:([^@/]*)@)?([^/?#]+)(?:\/([^?#]*))?(?:#(.+))?$/;
const hostPattern = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/;

interface Parts {
  readonly scheme: string;
  readonly user: string;
  readonly password: string;
  readonly hosts: readonly { readonly host: string; readonly port: number | undefined }[];
  readonly path: string;
  readonly fragment: string;
}

const partsOf = (url: string): Parts => {
  const [, scheme = '', credentials = '', hosts = '', path = '', fragment = ''] = urlPattern.exec(url) ?? [];
  const [user = '', ...password] = credentials.split(':');
  return {
    scheme,
    user: decodeURIComponent(user),
    password: decodeURIComponent(password.join(':')),
    // Separated by semicolons, since commas separate the URLs of a list.
    hosts: hosts.split(';').map((one) => {
      const [, host, port] = hostPattern.exec(one) ?? [];
      if (host === undefined) throw new BrokerUrlError();
      return { host: host.replace(/^\[|\]$/g, ''), port: port === undefined ? undefined : Number(port) };
    }),
    path: decodeURIComponent(path),
    fragment: decodeURIComponent(fragment),
  };
};

const databaseOf = (path: string): number => {
  if (path !== '' && !/^\d+$/.test(path)) throw new BrokerUrlError();
  return Number(path);
};

/** Throws a BrokerUrlError. Its message omits the URL, which contains a password. */
export const brokerFromUrl = (url: string, files: BrokerFiles): NamedBroker => {
  const { scheme, user, password, hosts, path, fragment } = partsOf(url);
  const [first] = hosts;
  if (first === undefined) throw new BrokerUrlError();
  switch (scheme) {
    case 'redis':
    case 'rediss': {
      const tls = scheme === 'rediss' ? tlsOf(files) : undefined;
      return { type: 'redis', redis: given({ ...first, password, db: databaseOf(path), tls }) };
    }
    case 'redis-sentinel': {
      const master = fragment === '' ? undefined : fragment;
      return {
        type: 'redis',
        redis: given({ sentinels: hosts.map(given), master, password, db: databaseOf(path) }),
      };
    }
    case 'amqp':
    case 'amqps': {
      const ssl = scheme === 'amqps' ? tlsOf(files) : undefined;
      return {
        type: 'rabbitmq',
        rabbitmq: given({ ...first, user, password, vhost: path, heartbeat: brokerHeartbeatSeconds, ssl }),
      };
    }
    default:
      throw new BrokerUrlError();
  }
};
