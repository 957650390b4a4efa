// Flags of the backend: the one table of everything `mon-backend start` can be told.
import { entityBounds } from '../actors/families/entity/limits.ts';
import { edgeLimits } from '../http/edge/limits.ts';
import { decimal, duration, integer, list, port, type SettingsOf, text, toggle } from '../program/flag.ts';
import { logLevels } from '../program/log.ts';
import { defaultMaxMessageBytes, maxMaxMessageBytes } from '../wire/earlier/limits.ts';
import { foreignBackendKeys } from './foreign-keys.ts';

const defaultFile =
  process.platform === 'freebsd' ? '/usr/local/etc/mon/backend.yml' : '/etc/mon/backend.yml';

export const backendFlags = {
  'access-token-expiry': duration(300_000, 'how long an access token is good for'),
  'agent-auth-trusted-ca-file': text(
    '',
    'authorities (PEM) that sign certificates of agents: every agent must show one, in place of a password',
  ),
  'agent-burst-limit': integer(0, 'agents that may connect at once when --agent-rate-limit is set'),
  'agent-host': text('[::]', 'address agents connect to'),
  'agent-port': port(8081, 'port agents connect to; 0: any free one, named in the log'),
  'agent-rate-limit': decimal(0, 'agents that may connect a second, the rest is told to wait; 0: no limit'),
  'agent-user-password': text(
    '',
    'password of the user agent, made when the store is empty; empty: the built-in one; none: no such user',
    { secret: true },
  ),
  'agent-write-timeout': integer(
    15,
    'seconds one message to an agent may take to be written; after that it is cut off',
    { min: 1 },
  ),
  'api-listen-address': text('[::]:8080', 'address and port of the HTTP API; port 0: any free one'),
  'api-request-limit': integer(512_000, 'largest request body, bytes', { min: 1_024 }),
  'api-url': text(
    '',
    'URL under which browsers and clients reach the API, e.g. https://mon.example.org; empty: what each request says itself',
  ),
  'assets-burst-limit': integer(100, 'asset downloads that may come at once', { min: 1 }),
  'assets-keep-unused': duration(
    2_592_000_000,
    'how long an asset that no handler, mutator or filter uses stays on disk; 0: for ever',
  ),
  'assets-rate-limit': decimal(1.39, 'asset downloads a second; 0: no limit'),
  'cache-dir': text(
    '/var/cache/mon/mon-backend',
    'directory of the assets of handlers, mutators and filters',
  ),
  'cert-file': text('', 'certificate (PEM) of API and agent listener; with --key-file: TLS'),
  'cluster-admin-username': text('admin', 'the first user, made when the store is empty'),
  'cluster-admin-password': text(
    '',
    'password of the first user; empty: one is made up and written to the state dir',
    {
      secret: true,
    },
  ),
  'config-file': text(defaultFile, 'YAML file with these settings, one key a flag', { short: 'c' }),
  'default-silenced-expiry-time': duration(
    0,
    'how long a silence lasts that names no end; 0: until it is cleared',
  ),
  'deregistration-handler': text('', 'handler of deregistration events of agents that name none'),
  'earlier-api-host': text(
    '127.0.0.1',
    'address of the API of the earlier generation and of the WebSocket its clients connect to',
  ),
  'earlier-api-port': port(0, 'port of the same, 4567 in most places; 0: there is none'),
  'earlier-brokers': {
    ...list(
      [],
      'brokers over which clients of the earlier generation are served',
      'redis://127.0.0.1:6379 amqp://user:password@127.0.0.1:5672/vhost',
    ),
    secret: true,
  },
  'earlier-brokers-ca-file': text(
    '',
    'certificates (PEM) a broker reached over rediss:// or amqps:// must come from; empty: those of the system',
  ),
  'earlier-brokers-cert-file': text('', 'certificate (PEM) such a broker is shown'),
  'earlier-brokers-key-file': text('', 'key (PEM) of that certificate'),
  'earlier-max-message-size': integer(
    defaultMaxMessageBytes,
    'largest keepalive or result of a client of the earlier generation, in bytes',
    { min: 1_024, max: maxMaxMessageBytes },
  ),
  'encryption-key-file': text(
    '',
    'keys (one a line, 32 bytes as base64) that seal secrets in the store: the first seals, all open; empty: encryption-key in the state dir; made at the first start',
  ),
  'entity-limit': integer(100, 'entities allowed without a license; 0: no limit'),
  'inspect-control': toggle(
    'let operators with the verb inspect:control send events to actors, restart and stop them',
  ),
  'key-file': text('', 'key (PEM) of the certificate'),
  'license-public-key-file': text(
    '',
    'Ed25519 public key (PEM) licenses are checked with, see `mon-backend license`; empty: no license is taken',
  ),
  'log-level': text('warn', `how much to log: ${logLevels.join(', ')}`, { choices: logLevels }),
  'max-checks-per-entity': integer(
    entityBounds.maxChecks,
    'checks one entity may have; an event that would add one more is refused; 0: no limit',
  ),
  'max-entity-bytes': integer(
    entityBounds.maxBytes,
    'what the last events of one entity may take together, bytes; events below 4 KiB are not counted; 0: no limit',
  ),
  'max-new-entities-per-session': integer(
    edgeLimits.maxNewEntities,
    'entities one agent may bring into being while it is connected; 0: no limit',
  ),
  'max-silenced-expiry-time-allowed': duration(
    0,
    'longest silence that is accepted, from now on; 0: no limit',
  ),
  'pipelined-workers': integer(100, 'events whose handlers run at the same time', { min: 1, max: 10_000 }),
  'refresh-token-expiry': duration(43_200_000, 'how long a login lasts without use'),
  'state-dir': text('/var/lib/mon/mon-backend', 'directory of the embedded store', { short: 'd' }),
  'store-url': text(
    '',
    'mongodb://... to keep everything in MongoDB; empty: the embedded store in the state dir',
    {
      secret: true,
    },
  ),
  'trusted-ca-file': text(
    '',
    'authorities (PEM) trusted besides the well-known ones when connecting to others over TLS; agents that show a certificate of theirs use mutual TLS, and are the user it names',
  ),
} as const;

export type BackendSettings = SettingsOf<typeof backendFlags>;

/** What settings of the backend are called, and where else than on the command line they come from. */
export const backendProgram = {
  name: 'mon-backend',
  environmentPrefix: 'MON_BACKEND_',
  flags: backendFlags,
  foreignKeys: foreignBackendKeys,
};
