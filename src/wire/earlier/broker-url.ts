// A broker as one URL names it, for those who have flags and no configuration files: the same scopes as in those files.
import type { Json } from '../../model/earlier/json.ts';
import { brokerHeartbeatSeconds } from './limits.ts';

/** Paths of PEM files; empty: none. */
export interface BrokerFiles {
  /** The authority a broker's certificate must come from; none: those of the system. */
  readonly caFile: string;
  /** What we show the broker, and its key. */
  readonly certFile: string;
  readonly keyFile: string;
}

/** The scope `redis` or `rabbitmq` of a configuration. */
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
    super(`a broker is named by a URL of one of these forms: ${forms.join(', ')}`);
  }
}

/** Without the entries that say nothing. */
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
    // Not commas: those part the URLs of a list.
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

/** Throws a BrokerUrlError, without the URL in its message: that holds a password. */
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
