// Every validation message of the earlier generation, each with a configuration that earns it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validate } from '../../src/client/settings/validate.ts';
import type { Json } from '../../src/model/earlier/json.ts';
import {
  type Case,
  check,
  client,
  clientAndCheckCases,
  day,
  fine,
  handler,
  one,
} from './validation-cases.ts';

const messages = (settings: Json): string[] => validate(settings).map(({ message }) => message);

const cases: readonly Case[] = [
  ...clientAndCheckCases,
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
  test(`invalid ${what} is reported: ${expected.join('; ')}`, () => {
    assert.deepEqual(messages(settings), expected);
  });
}

test('a valid configuration has no problems', () => {
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

test('a message includes the definition, with its name', () => {
  const [problem] = validate(check({ timeout: '1' }));
  assert.deepEqual(problem?.object, {
    command: 'true',
    interval: 10,
    subscribers: ['web'],
    timeout: '1',
    name: 'cpu',
  });
});
