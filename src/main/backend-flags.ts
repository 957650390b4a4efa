// The flag table of `mon-backend start`.
import { entityBounds } from '../actors/families/entity/limits.ts';
import { edgeLimits } from '../http/edge/limits.ts';
import { decimal, duration, integer, list, port, type SettingsOf, text, toggle } from '../program/flag.ts';
import { logLevels } from '../program/log.ts';
import { defaultMaxMessageBytes, maxMaxMessageBytes } from '../wire/earlier/limits.ts';
import { foreignBackendKeys } from './foreign-keys.ts';

const defaultFile =
  process.platform === 'freebsd' ? '/usr/local/etc/mon/backend.yml' : '/etc/mon/backend.yml';

export const backendFlags = {
  'access-token-expiry': duration(300_000, 'lifetime of access tokens'),
  'agent-auth-trusted-ca-file': text(
    '',
    'authorities (PEM) for agent certificates: every agent must present one, instead of a password',
  ),
  'agent-burst-limit': integer(0, 'burst of agent connections when --agent-rate-limit is set'),
  'agent-host': text('[::]', 'address of the agent listener'),
  'agent-port': port(8081, 'port of the agent listener; 0: any free port, see the log'),
  'agent-rate-limit': decimal(0, 'agent connections per second; more are told to wait; 0: no limit'),
  'agent-user-password': text(
    '',
    'password of the user agent, created in an empty store; empty: the built-in one; none: do not create the user',
    { secret: true },
  ),
  'agent-write-timeout': integer(
    15,
    'timeout in seconds for writing a message to an agent, which is then disconnected',
    { min: 1 },
  ),
  'api-listen-address': text('[::]:8080', 'address and port of the HTTP API; port 0: any free port'),
  'api-request-limit': integer(512_000, 'maximum request body size in bytes', { min: 1_024 }),
  'api-url': text(
    '',
    'external URL of the API for browsers and clients, e.g. https://mon.example.org; empty: taken from each request',
  ),
  'assets-burst-limit': integer(100, 'burst of asset downloads', { min: 1 }),
  'assets-keep-unused': duration(2_592_000_000, 'how long an unused asset stays on disk; 0: forever'),
  'assets-rate-limit': decimal(1.39, 'asset downloads per second; 0: no limit'),
  'bus-ca-file': text(
    '',
    'authorities (PEM) for the NATS servers; enables TLS, as tls:// in --bus-url does; empty: those of the system',
  ),
  'bus-cert-file': text('', 'client certificate (PEM) for the NATS servers'),
  'bus-credentials-file': text('', 'credentials (JWT and seed, as nsc writes them) for the NATS servers'),
  'bus-key-file': text('', 'key (PEM) of the client certificate for the NATS servers'),
  'bus-nkey-file': text('', 'nkey seed for the NATS servers'),
  'bus-url': {
    ...list(
      [],
      'preview, see docs/cluster.md: NATS servers; backends with the same --store-url and bus serve together as a cluster',
      'nats://nats-1:4222 tls://user:password@nats-2:4222',
    ),
    secret: true,
  },
  'cache-dir': text(
    '/var/cache/mon/mon-backend',
    'directory of the assets of handlers, mutators and filters',
  ),
  'cert-file': text('', 'certificate (PEM) of API and agent listener; enables TLS together with --key-file'),
  'cluster-admin-username': text('admin', 'the first user, created in an empty store'),
  'cluster-admin-password': text(
    '',
    'password of the first user; empty: a random one, written to the state dir',
    {
      secret: true,
    },
  ),
  'cluster-name': text(
    'mon',
    'name of the cluster on the bus: clusters of different names may share NATS servers; letters, digits, - and _',
  ),
  'config-file': text(defaultFile, 'YAML file with these settings, one key per flag', { short: 'c' }),
  'default-silenced-expiry-time': duration(
    0,
    'default duration of silences without an end; 0: until cleared',
  ),
  'deregistration-handler': text('', 'default handler of deregistration events'),
  'earlier-api-host': text('127.0.0.1', 'address of the earlier API and the WebSocket of its clients'),
  'earlier-api-port': port(0, 'port of the earlier API, usually 4567; 0: disabled'),
  'earlier-brokers': {
    ...list(
      [],
      'brokers for clients of the earlier generation',
      'redis://127.0.0.1:6379 amqp://user:password@127.0.0.1:5672/vhost',
    ),
    secret: true,
  },
  'earlier-brokers-ca-file': text(
    '',
    'authorities (PEM) for brokers over rediss:// or amqps://; empty: those of the system',
  ),
  'earlier-brokers-cert-file': text('', 'client certificate (PEM) for these brokers'),
  'earlier-brokers-key-file': text('', 'key (PEM) of that certificate'),
  'earlier-max-message-size': integer(
    defaultMaxMessageBytes,
    'maximum size in bytes of a keepalive or result of an earlier client',
    { min: 1_024, max: maxMaxMessageBytes },
  ),
  'encryption-key-file': text(
    '',
    'keys (one per line, 32 bytes as base64) that encrypt secrets in the store: the first encrypts, all decrypt; empty: encryption-key in the state dir, created at the first start',
  ),
  'entity-limit': integer(100, 'entities allowed without a license; 0: no limit'),
  'inspect-control': toggle(
    'allow users with the verb inspect:control to send events to actors, restart and stop them',
  ),
  'key-file': text('', 'key (PEM) of the certificate'),
  'license-public-key-file': text(
    '',
    'Ed25519 public key (PEM) that verifies licenses, see `mon-backend license`; empty: no license is accepted',
  ),
  'log-level': text('warn', `log level: ${logLevels.join(', ')}`, { choices: logLevels }),
  'max-checks-per-entity': integer(
    entityBounds.maxChecks,
    'maximum number of checks per entity; an event that would add another is rejected; 0: no limit',
  ),
  'max-entity-bytes': integer(
    entityBounds.maxBytes,
    'maximum total size in bytes of the last events of one entity; events below 4 KiB are not counted; 0: no limit',
  ),
  'max-new-entities-per-session': integer(
    edgeLimits.maxNewEntities,
    'maximum number of entities one agent may create per connection; 0: no limit',
  ),
  'max-silenced-expiry-time-allowed': duration(0, 'maximum duration of a silence from now; 0: no limit'),
  name: text(
    '',
    'name of this backend in its cluster, unique and kept over restarts: letters, digits, - and _; empty: the host name',
  ),
  'otlp-endpoint': text(
    '',
    'OpenTelemetry collector that receives traces (OTLP over HTTP), e.g. http://127.0.0.1:4318; empty: no traces',
    { secret: true },
  ),
  'pipelined-workers': integer(100, 'maximum number of events whose handlers run concurrently', {
    min: 1,
    max: 10_000,
  }),
  'refresh-token-expiry': duration(43_200_000, 'lifetime of an unused login'),
  'state-dir': text('/var/lib/mon/mon-backend', 'directory of the embedded store', { short: 'd' }),
  'store-url': text(
    '',
    'mongodb://... to store everything in MongoDB, where further backends stand by; empty: the embedded store in the state dir',
    {
      secret: true,
    },
  ),
  'trace-ratio': decimal(
    1,
    'share of events and API requests whose trace is recorded, 0 to 1; see --otlp-endpoint',
  ),
  'trusted-ca-file': text(
    '',
    'additional trusted authorities (PEM) for outgoing TLS connections; agents with a certificate of these authorities use mutual TLS and are authenticated as the user it names',
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
