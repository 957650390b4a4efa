// Flags: the one table of everything an agent can be told (interface section 2.12). The command line, the
// environment, the YAML file, the defaults and the help text all come from it.
import { hostname } from 'node:os';
import { defaultRedact } from '../model/redaction.ts';
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
    'the entity is what this configuration says, not what the backend has stored',
  ),
  'allow-list': text('', 'file (YAML or JSON) of the commands checks may run; empty: all'),
  annotations: pairs('annotations of the entity', 'team=ops,runbook=https://wiki/web'),
  'api-host': text('127.0.0.1', 'address the agent HTTP API listens on'),
  'api-port': port(3031, 'port the agent HTTP API listens on'),
  'assets-burst-limit': integer(100, 'asset downloads that may come at once', { min: 1 }),
  'assets-keep-unused': duration(
    2_592_000_000,
    'how long an asset that no check uses stays on disk; 0: for ever',
  ),
  'assets-rate-limit': decimal(1.39, 'asset downloads a second'),
  'backend-handshake-timeout': integer(15, 'seconds a backend may take to answer the handshake', { min: 1 }),
  'backend-heartbeat-interval': integer(30, 'seconds between two pings to the backend', { min: 1 }),
  'backend-heartbeat-timeout': integer(
    45,
    'seconds without a pong after which the connection counts as lost',
    {
      min: 1,
    },
  ),
  'backend-url': list(
    ['ws://127.0.0.1:8081'],
    'ws or wss URL of a backend; several may be given',
    'wss://mon-1.example.com:8081',
  ),
  'cache-dir': text(platform.cacheDir, 'directory of the event queue and of the assets'),
  'cert-file': text('', 'client certificate (PEM), for mutual TLS'),
  'config-file': text(platform.settingsFile, 'YAML file with these settings, one key a flag', { short: 'c' }),
  deregister: toggle('delete the entity when the agent has stopped'),
  'deregistration-handler': text('', 'handler of the deregistration event'),
  'detect-cloud-provider': toggle('find out which cloud this machine runs in'),
  'disable-api': toggle('do not start the HTTP API'),
  'disable-assets': toggle('refuse checks that need assets'),
  'disable-sockets': toggle('do not start the TCP and UDP sockets'),
  'events-burst-limit': integer(10, 'events of the HTTP API that may be relayed at once', { min: 1 }),
  'events-rate-limit': decimal(10, 'events of the HTTP API relayed a second; 0: no limit'),
  'insecure-skip-tls-verify': toggle('accept any certificate of the backend (development only)'),
  'keepalive-check-annotations': pairs('annotations of keepalive events', 'team=ops'),
  'keepalive-check-labels': pairs('labels of keepalive events', 'tier=web'),
  'keepalive-critical-timeout': integer(0, 'seconds of silence until a critical alert; 0: never'),
  'keepalive-handlers': list([], 'handlers of keepalive events', 'slack,pagerduty'),
  'keepalive-interval': integer(20, 'seconds between two keepalives', { min: 1 }),
  'keepalive-pipelines': list([], 'pipelines of keepalive events', 'core/v2.Pipeline.incident'),
  'keepalive-warning-timeout': integer(120, 'seconds of silence until a warning alert; 0: no warning', {
    alias: { name: 'keepalive-timeout', deprecated: false },
  }),
  'key-file': text('', 'key (PEM) of the client certificate'),
  labels: pairs('labels of the entity', 'region=us,tier=web', /^[A-Za-z][A-Za-z0-9_]*$/),
  'log-level': text('warn', `how much to log: ${logLevels.join(', ')}`, { choices: logLevels }),
  'max-session-length': duration(
    0,
    'longest connection to one backend, cut at random between half and all of it',
  ),
  name: text(hostname(), 'name of the entity', { alias: { name: 'id', deprecated: true } }),
  namespace: text('default', 'namespace of the entity'),
  password: text('P@ssw0rd!', 'password of the user', { secret: true }),
  redact: list(defaultRedact, 'keys whose values are hidden in logs and keepalives', 'password,api_key'),
  'retry-max': duration(120_000, 'longest wait between two attempts to connect'),
  'retry-min': duration(1_000, 'wait before the second attempt to connect'),
  'retry-multiplier': decimal(2, 'growth of the wait from attempt to attempt', 1),
  'socket-host': text('127.0.0.1', 'address the TCP and UDP sockets listen on'),
  'socket-port': port(3030, 'port the TCP and UDP sockets listen on'),
  'statsd-disable': toggle('do not start the StatsD listener'),
  'statsd-event-handlers': list([], 'handlers of StatsD metrics', 'influxdb'),
  'statsd-flush-interval': integer(10, 'seconds between two StatsD metric events', { min: 1 }),
  'statsd-metrics-host': text('127.0.0.1', 'address the StatsD listener listens on'),
  'statsd-metrics-port': port(8125, 'port the StatsD listener listens on'),
  'strip-networks': toggle('leave network interfaces out of the entity'),
  subscriptions: list([], 'names of the check groups this agent takes part in', 'linux,web'),
  'trusted-ca-file': text('', 'certificates (PEM) that may sign the backend certificate'),
  user: text('agent', 'user the agent logs in as'),
} as const;

/** What makes these flags the settings of a program. */
export const agentProgram = { name: 'mon-agent', environmentPrefix: 'MON_', flags: agentFlags };

/** The settings of an agent: one field a flag, in camel case. */
export type AgentConfig = SettingsOf<typeof agentFlags>;
