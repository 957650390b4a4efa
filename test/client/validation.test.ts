// Every validation message of the earlier generation, each with a configuration that earns it (earlier-client sheet 1.3).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validate } from '../../src/client/settings/validate.ts';
import { checkResultProblem } from '../../src/model/earlier/check-rules.ts';
import type { Json } from '../../src/model/earlier/json.ts';
import { readClockTime } from '../../src/model/earlier/time-window-rules.ts';

const fine: Json = {
  sensu: { spawn: { limit: 12 } },
  transport: { name: 'websocket', reconnect_on_error: true },
  checks: {},
  filters: {},
  mutators: {},
  handlers: {},
  extensions: {},
  client: { name: 'c1', address: '10.0.0.9', subscriptions: ['web'] },
};
const client = (more: Json): Json => ({ ...fine, client: { ...(fine['client'] as Json), ...more } });
const check = (more: Json, name = 'cpu'): Json => ({
  ...fine,
  checks: { [name]: { command: 'true', interval: 10, subscribers: ['web'], ...more } },
});
const handler = (more: Json): Json => ({
  ...fine,
  handlers: { h: { type: 'pipe', command: 'cat', ...more } },
});
const one = (category: string, definition: unknown): Json => ({ ...fine, [category]: { x: definition } });
const messages = (settings: Json): string[] => validate(settings).map(({ message }) => message);

const badName = 'client name cannot contain spaces or special characters';
const badCheckName = 'check name cannot contain spaces or special characters';
const badSource = 'check source cannot contain spaces, special characters, or invalid tokens';
const badAggregate = 'check aggregate cannot contain spaces or special characters';
const eitherOr = 'either check command or extension must be set';
const coverage = 'check proxy_requests splay_coverage must be an integer greater than 0 and less than 100';
const badDays = "check subdue days must be valid days of the week or 'all'";
const hookKey = "check hook key must be a severity, status, or 'non-zero'";
const day = (windows: unknown): Json => check({ subdue: { days: { monday: windows } } });

const cases: readonly (readonly [string, Json, readonly string[]])[] = [
  ['client', { ...fine, client: 'x' }, ['client must be a hash']],
  ['no name', client({ name: undefined }), ['client name must be a string', badName]],
  ['a space in the name', client({ name: 'a b' }), [badName]],
  ['a newline in the name', client({ name: 'a\n' }), [badName]],
  ['a letter beyond ASCII in the name', client({ name: 'ä' }), [badName]],
  ['address', client({ address: 1 }), ['client address must be a string']],
  ['safe_mode', client({ safe_mode: 'yes' }), ['client safe_mode must be boolean']],
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
  ['sensu', { ...fine, sensu: 1 }, ['sensu must be a hash']],
  ['spawn', { ...fine, sensu: { spawn: 24 } }, ['sensu spawn must be a hash']],
  ['spawn.limit', { ...fine, sensu: { spawn: { limit: 'a' } } }, ['sensu spawn limit must be an integer']],
  [
    'a spawn limit of 0',
    { ...fine, sensu: { spawn: { limit: 0 } } },
    ['sensu spawn limit must be greater than 0'],
  ],
  ['sensu.keepalives', { ...fine, sensu: { keepalives: 1 } }, ['sensu keepalives must be a hash']],
  [
    'all of sensu.keepalives',
    {
      ...fine,
      sensu: { keepalives: { thresholds: { warning: 'a', critical: 'b' }, handler: 1, handlers: 1 } },
    },
    [
      'sensu keepalives warning threshold must be an integer',
      'sensu keepalives critical threshold must be an integer',
      'sensu keepalives handler must be a string',
      'sensu keepalives handlers must be an array',
    ],
  ],
  [
    'wrong kinds in sensu.keepalives',
    { ...fine, sensu: { keepalives: { thresholds: 1, handlers: [1] } } },
    ['sensu keepalives thresholds must be a hash', 'sensu keepalives handlers must each be a string'],
  ],
  ['sensu.server', { ...fine, sensu: { server: 1 } }, ['sensu server must be a hash']],
  [
    'all of sensu.server',
    { ...fine, sensu: { server: { results_pipe: 1, keepalives_pipe: 1, max_message_size: 'a' } } },
    [
      'sensu server results_pipe must be a string',
      'sensu server keepalives_pipe must be a string',
      'sensu server max_message_size must be an integer',
    ],
  ],
  [
    'global_error_handler',
    { ...fine, sensu: { global_error_handler: 1 } },
    ['sensu global_error_handler must be boolean'],
  ],
  ['transport', { ...fine, transport: 1 }, ['transport must be a hash']],
  [
    'all of transport',
    { ...fine, transport: { name: 1, reconnect_on_error: 1 } },
    ['transport name must be a string', 'transport reconnect_on_error must be boolean'],
  ],
  ['a filter', one('filters', 1), ['filter must be a hash']],
  [
    'all of a filter',
    one('filters', { negate: 1, attributes: 1, when: 1 }),
    ['filter negate must be boolean', 'filter attributes must be a hash', 'filter when must be a hash'],
  ],
  ['a mutator', one('mutators', 1), ['mutator must be a hash']],
  [
    'all of a mutator',
    one('mutators', { timeout: 'a' }),
    ['mutator command must be a string', 'mutator timeout must be numeric'],
  ],
  ['a handler', one('handlers', 1), ['handler must be a hash']],
  ['handler.type', handler({ type: 1 }), ['handler type must be a string', 'unknown handler type']],
  ['an unknown type', handler({ type: 'mail' }), ['unknown handler type']],
  ['a pipe', handler({ command: 1 }), ['handler command must be a string']],
  ['tcp', handler({ type: 'tcp' }), ['handler socket must be a hash']],
  [
    'udp',
    handler({ type: 'udp', socket: {} }),
    ['handler host must be a string', 'handler port must be an integer'],
  ],
  ['transport handler', handler({ type: 'transport' }), ['handler transport pipe must be a hash']],
  [
    'all of its pipe',
    handler({ type: 'transport', pipe: { options: 1 } }),
    [
      'handler transport pipe type must be a string',
      'handler transport pipe type is invalid',
      'handler transport pipe name must be a string',
      'handler transport pipe options must be a hash',
    ],
  ],
  ['set', handler({ type: 'set' }), ['handler set handlers must be an array']],
  [
    'an item of a set',
    handler({ type: 'set', handlers: [1] }),
    ['handler set handlers must each be a string'],
  ],
  [
    'the rest of a handler',
    handler({
      filters: 1,
      filter: 1,
      severities: 1,
      timeout: 'a',
      mutator: 1,
      handle_flapping: 1,
      handle_silenced: 1,
    }),
    [
      'handler filters must be an array',
      'handler filter must be a string',
      'handler severities must be an array',
      'handler timeout must be numeric',
      'handler mutator must be a string',
      'handler handle_flapping must be boolean',
      'handler handle_silenced must be boolean',
    ],
  ],
  [
    'items of a handler',
    handler({ filters: [1], severities: ['bad'] }),
    ['handler filters items must be strings', 'handler severities are invalid'],
  ],
  ['an extension', one('extensions', 1), ['extension must be a hash']],
  [
    'all of an extension',
    one('extensions', { gem: 1, version: 1 }),
    ['extension gem must be a string', 'extension version must be a string'],
  ],
];

for (const [what, settings, expected] of cases) {
  test(`${what} that is wrong is told: ${expected.join('; ')}`, () => {
    assert.deepEqual(messages(settings), expected);
  });
}

test('what is right is told nothing', () => {
  const right: readonly Json[] = [
    fine,
    client({
      safe_mode: true,
      socket: { enabled: false, bind: '::1', port: 1 },
      custom: { a: [1] },
      chef: {},
    }),
    client({ http_socket: { enabled: true, user: 'u', password: 'p', protect_all_endpoints: true } }),
    client({ keepalive: { thresholds: { warning: 40, critical: 60 }, handlers: ['a'], refresh: 1 } }),
    client({
      registration: { handler: 'r', status: 0 },
      deregistration: { handlers: ['d'] },
      deregister: true,
    }),
    check({ source: 'sw-:::name|x:::' }),
    check({ source: false, ttl: false }),
    check({ publish: false, interval: undefined }),
    check({ cron: '*/5 * * * mon-fri', interval: undefined }),
    check({ cron: '@daily', interval: undefined }),
    check({ standalone: true, subscribers: undefined }),
    check({ aggregate: true }),
    check({ hooks: { 255: { command: 'a' }, 'non-zero': { command: 'b', timeout: 0.5 } } }),
    day([{ begin: '9AM', end: '17:30 UTC' }]),
  ];
  for (const settings of right) assert.deepEqual(messages(settings), []);
});

test('the definition a message speaks of comes with it, name included', () => {
  const [problem] = validate(check({ timeout: '1' }));
  assert.deepEqual(problem?.object, {
    command: 'true',
    interval: 10,
    subscribers: ['web'],
    timeout: '1',
    name: 'cpu',
  });
});

const result = { name: 'cpu', output: 'x', status: 0, executed: 1 };
const results: readonly (readonly [Json, string | undefined])[] = [
  [result, undefined],
  [{ ...result, source: 'sw-1', ttl: 30, ttl_status: 2, anything: { a: 1 } }, undefined],
  [{}, 'check output must be a string'],
  [{ ...result, status: '0' }, 'check status must be an integer'],
  [{ ...result, executed: 1.5 }, 'check executed timestamp must be an integer'],
  [{ ...result, name: 1 }, 'check name must be a string'],
  [{ ...result, name: 'a b' }, badCheckName],
  [{ ...result, handlers: 'x' }, 'check handlers must be an array'],
  [{ ...result, aggregate: 'a b' }, badAggregate],
  [{ ...result, low_flap_threshold: 1 }, 'check high flap threshold must be an integer'],
  [{ ...result, truncate_output: 1 }, 'check truncate_output must be boolean'],
  [{ ...result, source: '' }, badSource],
  [{ ...result, ttl: 0 }, 'check ttl must be greater than 0'],
  [{ ...result, ttl: 1, ttl_status: 'x' }, 'check ttl_status must be an integer'],
];

for (const [check, expected] of results) {
  test(`a result ${JSON.stringify(check)} is told ${expected ?? 'nothing'}`, () => {
    assert.equal(checkResultProblem(check), expected);
  });
}

test('times of a window are read in the usual spellings', () => {
  assert.deepEqual(readClockTime('12AM'), { seconds: 0, offsetMinutes: null });
  assert.deepEqual(readClockTime('12:30 pm'), { seconds: 45_000, offsetMinutes: null });
  assert.deepEqual(readClockTime('17:00 UTC'), { seconds: 61_200, offsetMinutes: 0 });
  assert.deepEqual(readClockTime('09:05:07 -03:30'), { seconds: 32_707, offsetMinutes: -210 });
  for (const wrong of ['', 'noon', '25:00', '13PM', '9', 9, null]) assert.equal(readClockTime(wrong), null);
});
