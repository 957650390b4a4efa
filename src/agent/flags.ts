// The flag table of the agent. Command line, environment, YAML file, defaults and help are
// derived from it.
import { hostname } from 'node:os';
import { defaultRedact } from '../model/resource/redaction.ts';
import {
  decimal,
  duration,
  integer,
  list,
  pairs,
  port,
  type SettingsOf,
  text,
  toggle,
} from '../program/flag.ts';
import { logLevels } from '../program/log.ts';
import { platform } from './platform.ts';

export const agentFlags = {
  'agent-managed-entity': toggle(
    'use the local entity configuration instead of the one stored by the backend',
  ),
  'allow-list': text('', 'file (YAML or JSON) of the commands that checks may run; empty: all'),
  annotations: pairs('annotations of the entity', 'team=ops,runbook=https://wiki/web'),
  'api-host': text('127.0.0.1', 'address the agent HTTP API listens on'),
  'api-port': port(3031, 'port the agent HTTP API listens on'),
  'assets-burst-limit': integer(100, 'burst of asset downloads', { min: 1 }),
  'assets-keep-unused': duration(2_592_000_000, 'how long an unused asset stays on disk; 0: forever'),
  'assets-rate-limit': decimal(1.39, 'asset downloads per second'),
  'backend-handshake-timeout': integer(15, 'handshake timeout in seconds', { min: 1 }),
  'backend-heartbeat-interval': integer(30, 'seconds between pings to the backend', { min: 1 }),
  'backend-heartbeat-timeout': integer(
    45,
    'seconds without a pong after which the connection is considered lost',
    {
      min: 1,
    },
  ),
  'backend-url': list(
    ['ws://127.0.0.1:8081'],
    'ws or wss URL of a backend; may be repeated',
    'wss://mon-1.example.com:8081',
  ),
  'cache-dir': text(platform.cacheDir, 'directory of the event queue and the assets'),
  'cert-file': text('', 'client certificate (PEM) for mutual TLS'),
  'config-file': text(platform.settingsFile, 'YAML file with these settings, one key per flag', {
    short: 'c',
  }),
  deregister: toggle('delete the entity when the agent stops'),
  'deregistration-handler': text('', 'handler of the deregistration event'),
  'detect-cloud-provider': toggle('detect the cloud provider of this machine'),
  'disable-api': toggle('do not start the HTTP API'),
  'disable-assets': toggle('reject checks that need assets'),
  'disable-sockets': toggle('do not start the TCP and UDP sockets'),
  'events-burst-limit': integer(10, 'burst of events relayed from the HTTP API', { min: 1 }),
  'events-rate-limit': decimal(10, 'events relayed from the HTTP API per second; 0: no limit'),
  'insecure-skip-tls-verify': toggle('accept any backend certificate (development only)'),
  'keepalive-check-annotations': pairs('annotations of keepalive events', 'team=ops'),
  'keepalive-check-labels': pairs('labels of keepalive events', 'tier=web'),
  'keepalive-critical-timeout': integer(0, 'seconds without a keepalive until a critical alert; 0: never'),
  'keepalive-handlers': list([], 'handlers of keepalive events', 'slack,pagerduty'),
  'keepalive-interval': integer(20, 'seconds between keepalives', { min: 1 }),
  'keepalive-pipelines': list([], 'pipelines of keepalive events', 'core/v2.Pipeline.incident'),
  'keepalive-warning-timeout': integer(
    120,
    'seconds without a keepalive until a warning alert; 0: no warning',
    {
      alias: { name: 'keepalive-timeout', deprecated: false },
    },
  ),
  'key-file': text('', 'key (PEM) of the client certificate'),
  labels: pairs('labels of the entity', 'region=us,tier=web', /^[A-Za-z][A-Za-z0-9_]*$/),
  'log-level': text('warn', `log level: ${logLevels.join(', ')}`, { choices: logLevels }),
  'max-session-length': duration(
    0,
    'maximum length of a connection; the actual length is random between half and all of it',
  ),
  name: text(hostname(), 'name of the entity', {
    alias: { name: 'id', deprecated: true },
    defaultWords: 'the host name',
  }),
  namespace: text('default', 'namespace of the entity'),
  password: text('P@ssw0rd!', 'password of the user', { secret: true }),
  redact: list(defaultRedact, 'keys with values to redact in logs and keepalives', 'password,api_key'),
  'retry-max': duration(120_000, 'maximum delay between connection attempts'),
  'retry-min': duration(1_000, 'delay before the second connection attempt'),
  'retry-multiplier': decimal(2, 'factor by which the delay grows', 1),
  'socket-host': text('127.0.0.1', 'address the TCP and UDP sockets listen on'),
  'socket-port': port(3030, 'port the TCP and UDP sockets listen on'),
  'statsd-disable': toggle('do not start the StatsD listener'),
  'statsd-event-handlers': list([], 'handlers of StatsD metrics', 'influxdb'),
  'statsd-flush-interval': integer(10, 'seconds between StatsD metric events', { min: 1 }),
  'statsd-metrics-host': text('127.0.0.1', 'address the StatsD listener listens on'),
  'statsd-metrics-port': port(8125, 'port the StatsD listener listens on'),
  'strip-networks': toggle('omit network interfaces from the entity'),
  subscriptions: list([], 'subscriptions of the agent', 'linux,web'),
  'trusted-ca-file': text('', 'certificates (PEM) of authorities that may sign the backend certificate'),
  user: text('agent', 'user the agent logs in as'),
} as const;

/** The program definition for these flags. */
export const agentProgram = { name: 'mon-agent', environmentPrefix: 'MON_', flags: agentFlags };

/** The settings of an agent: one camelCase field per flag. */
export type AgentConfig = SettingsOf<typeof agentFlags>;
