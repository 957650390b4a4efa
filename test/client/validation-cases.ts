// Configurations of clients and checks that are wrong, and what is said of them.
import type { Json } from '../../src/model/earlier/json.ts';

/** What is wrong, the configuration, and every message it earns. */
export type Case = readonly [string, Json, readonly string[]];

export const fine: Json = {
  sensu: { spawn: { limit: 12 } },
  transport: { name: 'websocket', reconnect_on_error: true },
  checks: {},
  filters: {},
  mutators: {},
  handlers: {},
  extensions: {},
  client: { name: 'c1', address: '10.0.0.9', subscriptions: ['web'] },
};
export const client = (more: Json): Json => ({ ...fine, client: { ...(fine['client'] as Json), ...more } });
export const check = (more: Json, name = 'cpu'): Json => ({
  ...fine,
  checks: { [name]: { command: 'true', interval: 10, subscribers: ['web'], ...more } },
});
export const handler = (more: Json): Json => ({
  ...fine,
  handlers: { h: { type: 'pipe', command: 'cat', ...more } },
});
export const one = (category: string, definition: unknown): Json => ({
  ...fine,
  [category]: { x: definition },
});

const badName = 'client name cannot contain spaces or special characters';
const badCheckName = 'check name cannot contain spaces or special characters';
const badSource = 'check source cannot contain spaces, special characters, or invalid tokens';
const badAggregate = 'check aggregate cannot contain spaces or special characters';
const eitherOr = 'either check command or extension must be set';
const coverage = 'check proxy_requests splay_coverage must be an integer greater than 0 and less than 100';
const badDays = "check subdue days must be valid days of the week or 'all'";
const hookKey = "check hook key must be a severity, status, or 'non-zero'";
export const day = (windows: unknown): Json => check({ subdue: { days: { monday: windows } } });

/** Of the client and of its checks. */
export const clientAndCheckCases: readonly Case[] = [
  ['client', { ...fine, client: 'x' }, ['client must be a hash']],
  ['no name', client({ name: undefined }), ['client name must be a string', badName]],
  ['a space in the name', client({ name: 'a b' }), [badName]],
  ['a newline in the name', client({ name: 'a\n' }), [badName]],
  ['a letter beyond ASCII in the name', client({ name: 'ä' }), [badName]],
  ['address', client({ address: 1 }), ['client address must be a string']],
  ['safe_mode', client({ safe_mode: 'yes' }), ['client safe_mode must be boolean']],
  ['deregister', client({ deregister: 'yes' }), ['client deregister must be boolean']],
  ['no subscriptions', client({ subscriptions: undefined }), ['client subscriptions must be an array']],
  ['subscriptions', client({ subscriptions: 'web' }), ['client subscriptions must be an array']],
  [
    'an empty subscription',
    client({ subscriptions: [''] }),
    ['client subscriptions must each be a non empty string'],
  ],
  ['socket', client({ socket: 1 }), ['client socket must be a hash']],
  ['socket.enabled', client({ socket: { enabled: 1 } }), ['client socket enabled must be a boolean']],
  ['socket.bind', client({ socket: { bind: 1 } }), ['client socket bind must be a string']],
  ['socket.port', client({ socket: { port: '3030' } }), ['client socket port must be an integer']],
  ['http_socket', client({ http_socket: [] }), ['client http_socket must be a hash']],
  [
    'http_socket.enabled',
    client({ http_socket: { enabled: 1 } }),
    ['client http_socket enabled must be boolean'],
  ],
  ['http_socket.bind', client({ http_socket: { bind: 1 } }), ['client http_socket bind must be a string']],
  [
    'http_socket.port',
    client({ http_socket: { port: 1.5 } }),
    ['client http_socket port must be an integer'],
  ],
  [
    'a user without a password',
    client({ http_socket: { user: 'u' } }),
    ['client http_socket password must be a string'],
  ],
  [
    'a password without a user',
    client({ http_socket: { password: 'p' } }),
    ['client http_socket user must be a string'],
  ],
  [
    'protect_all_endpoints',
    client({ http_socket: { protect_all_endpoints: 1 } }),
    ['client http_socket protect_all_endpoints must be boolean'],
  ],
  ['keepalives', client({ keepalives: 0 }), ['client keepalives must be boolean']],
  ['keepalive', client({ keepalive: 0 }), ['client keepalive must be a hash']],
  ['keepalive.handler', client({ keepalive: { handler: 1 } }), ['client keepalive handler must be a string']],
  [
    'keepalive.handlers',
    client({ keepalive: { handlers: 1 } }),
    ['client keepalive handlers must be an array'],
  ],
  [
    'an item of keepalive.handlers',
    client({ keepalive: { handlers: [1] } }),
    ['client keepalive handlers must each be a string'],
  ],
  [
    'keepalive.thresholds',
    client({ keepalive: { thresholds: 1 } }),
    ['client keepalive thresholds must be a hash'],
  ],
  [
    'thresholds',
    client({ keepalive: { thresholds: { warning: '1', critical: 1.5 } } }),
    [
      'client keepalive warning threshold must be an integer',
      'client keepalive critical threshold must be an integer',
    ],
  ],
  ['keepalive.source', client({ keepalive: { source: 'a b' } }), [badSource]],
  [
    'flap thresholds of a keepalive',
    client({ keepalive: { low_flap_threshold: 5 } }),
    ['check high flap threshold must be an integer'],
  ],
  ['redact', client({ redact: 'x' }), ['client redact must be an array']],
  ['a redact key', client({ redact: [1] }), ['client redact keys must each be a string']],
  ['signature', client({ signature: 1 }), ['client signature must be a string']],
  ...(['registration', 'deregistration'] as const).flatMap(
    (scope): readonly (readonly [string, Json, readonly string[]])[] => [
      [scope, client({ [scope]: 1 }), [`client ${scope} must be a hash`]],
      [
        `all of ${scope}`,
        client({ [scope]: { handler: 1, handlers: 1, status: '1' } }),
        [
          `client ${scope} handler must be a string`,
          `client ${scope} handlers must be an array`,
          `client ${scope} status must be an integer`,
        ],
      ],
      [
        `handlers of ${scope}`,
        client({ [scope]: { handlers: [1] } }),
        [`client ${scope} handlers must each be a string`],
      ],
    ],
  ),
  ['checks', { ...fine, checks: [] }, ['checks must be a hash']],
  ['a check', one('checks', 1), ['check must be a hash']],
  ['a check name', check({}, 'a b'), [badCheckName]],
  ['neither command nor extension', check({ command: undefined }), [eitherOr]],
  ['command and extension', check({ extension: 'e' }), [eitherOr]],
  ['command', check({ command: 1 }), ['check command must be a string']],
  ['extension', check({ command: undefined, extension: 1 }), ['check extension must be a string']],
  ['timeout', check({ timeout: '1' }), ['check timeout must be numeric']],
  ['stdin', check({ stdin: 1 }), ['check stdin must be boolean']],
  ['source', check({ source: 1 }), ['check source must be a string', badSource]],
  ['an open token in source', check({ source: ':::a' }), [badSource]],
  ['publish', check({ publish: 'no' }), ['check publish must be boolean']],
  ['cron', check({ cron: 1 }), ['check cron must be a string', 'check cron string must use the cron syntax']],
  ['@reboot', check({ cron: '@reboot' }), ['check cron string must use the cron syntax']],
  ['interval', check({ interval: 0 }), ['check interval must be an integer greater than 0']],
  ['interval as text', check({ interval: '10' }), ['check interval must be an integer greater than 0']],
  ['standalone', check({ standalone: 'yes' }), ['check standalone must be boolean']],
  ['subscribers', check({ subscribers: 'web' }), ['check subscribers must be an array']],
  ['an item of subscribers', check({ subscribers: [1] }), ['check subscribers must each be a string']],
  ['proxy_requests', check({ proxy_requests: 1 }), ['check proxy_requests must be a hash']],
  [
    'all of proxy_requests',
    check({ proxy_requests: { client_attributes: 1, splay: 1, splay_coverage: 100 } }),
    [
      'check proxy_requests client_attributes must be a hash',
      'check proxy_requests splay must be boolean',
      coverage,
    ],
  ],
  ['handler', check({ handler: 1 }), ['check handler must be a string']],
  ['handlers', check({ handlers: 1 }), ['check handlers must be an array']],
  ['an item of handlers', check({ handlers: [1] }), ['check handlers must each be a string']],
  ['ttl', check({ ttl: '1' }), ['check ttl must be an integer']],
  ['a ttl of 0', check({ ttl: 0 }), ['check ttl must be greater than 0']],
  ['ttl_status', check({ ttl: 1, ttl_status: '2' }), ['check ttl_status must be an integer']],
  ['aggregates', check({ aggregates: 'a' }), ['check aggregates must be an array']],
  [
    'an item of aggregates',
    check({ aggregates: ['a b'] }),
    ['check aggregates items must be strings without spaces or special characters'],
  ],
  ['aggregate', check({ aggregate: 'a b' }), [badAggregate]],
  [
    'aggregate of another type',
    check({ aggregate: 1 }),
    ['check aggregate must be a string (name) or boolean'],
  ],
  [
    'flap thresholds',
    check({ low_flap_threshold: 'a', high_flap_threshold: 'b' }),
    ['check low flap threshold must be an integer', 'check high flap threshold must be an integer'],
  ],
  ['hooks', check({ hooks: 1 }), ['check hooks must be a hash']],
  ['a hook key', check({ hooks: { 256: { command: 'x' } } }), [hookKey]],
  [
    'all of a hook',
    check({ hooks: { ok: { command: 1, timeout: 'a', stdin: 1 } } }),
    [
      'check hook command must be a string',
      'check hook timeout must be numeric',
      'check hook stdin must be boolean',
    ],
  ],
  ['truncate_output', check({ truncate_output: 1 }), ['check truncate_output must be boolean']],
  [
    'truncate_output_length',
    check({ truncate_output_length: 0 }),
    ['check truncate_output_length must be an integer greater than 0'],
  ],
  ['subdue', check({ subdue: 1 }), ['check subdue must be a hash']],
  ['subdue.days', check({ subdue: {} }), ['check subdue days must be a hash']],
  [
    'no day',
    check({ subdue: { days: {} } }),
    ["check subdue days must include at least one day of the week or 'all'"],
  ],
  ['a wrong day', check({ subdue: { days: { funday: [] } } }), [badDays]],
  ['windows of a day', day(1), ['check subdue days monday must be in an array']],
  ['no window', day([]), ['check subdue days monday must include at least one time window']],
  ['a window', day([1]), ['check subdue day time window must be a hash']],
  [
    'times of a window',
    day([{ begin: 'noon', end: '5PM' }]),
    ['check subdue day time window begin and end times must be valid'],
  ],
];
