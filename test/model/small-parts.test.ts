// The small parts: durations, cron strings, windows, redaction, pages, tags, wrapping, names and seeds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  validateClusterRole,
  validateClusterRoleBinding,
  validateRole,
} from '../../src/model/access/rbac.ts';
import { validateSecretsProvider } from '../../src/model/access/secrets-provider.ts';
import { validateUser } from '../../src/model/access/user.ts';
import { maxCronCharacters } from '../../src/model/limits.ts';
import { conditionsHold, etagOf } from '../../src/model/resource/etag.ts';
import {
  assetNameFault,
  nameFault,
  strictNameFault,
  subscriptionFault,
} from '../../src/model/resource/names.ts';
import { decodeContinue, encodeContinue, parseLimit } from '../../src/model/resource/pagination.ts';
import { defaultRedact, redactEntity } from '../../src/model/resource/redaction.ts';
import { namespaceSeeds, seedsFor } from '../../src/model/resource/seeds.ts';
import { isWrapped, readWrapped, unwrap, wrap } from '../../src/model/resource/wrapped.ts';
import { parseCron } from '../../src/model/time/cron.ts';
import { formatDuration, parseDuration } from '../../src/model/time/durations.ts';
import { parseClock, parseInstant } from '../../src/model/time/time-windows.ts';
import { fc } from '../property.ts';
import { bad, event, good } from './samples.ts';

test('durations are read as people write them', () => {
  const rows: readonly (readonly [string, number | null])[] = [
    ['20s', 20_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['250ms', 250],
    ['.5s', 500],
    ['1us', 0.001],
    ['1µs', 0.001],
    ['-2m', -120_000],
    ['0', 0],
    ['', null],
    ['20', null],
    ['s', null],
    ['1d', null],
    ['1 s', null],
    ['1s1', null],
    [`${'9'.repeat(100)}s`, null],
  ];
  for (const [text, wanted] of rows) assert.equal(parseDuration(text), wanted, text);
});

test('durations are written as they are read', () => {
  assert.deepEqual(
    [0, 1.5, 250, 1000, 1500, 90_000, 3_600_000, 3_661_500, -20_000, 0.001].map(formatDuration),
    ['0s', '1.5ms', '250ms', '1s', '1.5s', '1m30s', '1h0m0s', '1h1m1.5s', '-20s', '1µs'],
  );
  assert.throws(() => formatDuration(Number.NaN), RangeError);
  fc.assert(
    fc.property(fc.integer({ min: -1e12, max: 1e12 }), (ms) => {
      assert.equal(parseDuration(formatDuration(ms)), ms);
    }),
  );
});

test('cron strings are read with their descriptors and zones', () => {
  const schedule = (text: string) => {
    const reading = parseCron(text);
    return reading.ok ? reading.schedule : reading.why;
  };
  assert.deepEqual(schedule('@every 90s'), { type: 'every', everyMs: 90_000 });
  assert.deepEqual(schedule('@daily'), { type: 'pattern', pattern: '0 0 * * *' });
  assert.deepEqual(schedule('CRON_TZ=Asia/Tokyo 5 4 * * SUN'), {
    type: 'pattern',
    pattern: '5 4 * * SUN',
    timeZone: 'Asia/Tokyo',
  });
  assert.deepEqual(schedule('5/15 ? * * 1'), { type: 'pattern', pattern: '5-59/15 * * * 1' });
  for (const text of [
    '? * * * *',
    '*/5 1-3,9 1 JAN MON',
    '0 0 ? * MON-fri',
    '5/15 * * * *',
    '*,5 0 1,,2 * *',
    '@midnight',
    'TZ=UTC @hourly',
  ]) {
    assert.equal(parseCron(text).ok, true, text);
  }
  for (const text of [
    '',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '0 0 0 * *',
    '0 0 * 13 *',
    '0 0 * * 7',
    '0 0 L * *',
    '0 0 15W * *',
    '0 0 * * MON#2',
    '0 0 * * FRIL',
    '0 22-2 * * *',
    '*/0 * * * *',
    '*/ * * * *',
    '1-2-3 * * * *',
    '1/2/3 * * * *',
    ', * * * *',
    '+1 * * * *',
    '@often',
    '@every 1ms',
    '@every x',
    'TZ=Mars/One * * * * *',
  ]) {
    assert.equal(parseCron(text).ok, false, text);
  }
});

test('the length of a cron string is limited; a longer one is rejected without parsing', () => {
  const sized = (length: number) => `${'0,'.repeat(length).slice(0, length - 9)}0 * * * *`;
  assert.equal(parseCron(sized(maxCronCharacters)).ok, true);
  assert.deepEqual(parseCron(sized(maxCronCharacters + 1)), {
    ok: false,
    why: `it must be at most ${maxCronCharacters} characters (got ${maxCronCharacters + 1})`,
  });
});

test('instants carry their offset, clock times their minutes', () => {
  assert.deepEqual(parseInstant('2022-04-18T17:00:00-07:00'), {
    atMs: Date.UTC(2022, 3, 19, 0),
    offsetMinutes: -420,
  });
  for (const text of [
    '2022-04-18',
    '2022-02-30T00:00:00Z',
    '2022-04-18T17:00:00',
    '2022-04-18T24:01:00Z',
    'x',
  ]) {
    assert.equal(parseInstant(text), null, text);
  }
  assert.deepEqual(
    ['12:00 AM', '12:30PM', '5:00 pm', '11:59 PM', '0:10 AM', '13:00 PM', '5:60 AM', '17:00'].map(parseClock),
    [0, 750, 1020, 1439, null, null, null, null],
  );
});

test('redaction compares keys by letters and digits alone', () => {
  const labels = { 'API-Key': 'a', PassWord: 'b', my_password: 'c', region: 'd' };
  const { entity } = event({}, { metadata: { name: 'e', labels, annotations: { Secret: 's' } } });
  const shown = redactEntity(entity).metadata;
  assert.deepEqual(shown.labels, {
    'API-Key': 'REDACTED',
    PassWord: 'REDACTED',
    my_password: 'c',
    region: 'd',
  });
  assert.deepEqual(shown.annotations, { Secret: 'REDACTED' });
  assert.deepEqual(entity.metadata.labels, labels);
  const own = redactEntity({ ...entity, redact: ['region'] }).metadata;
  assert.deepEqual(own.labels, { ...labels, region: 'REDACTED' });
  const plain = event({}, { metadata: { name: 'e', labels: { a: 'b' } } }).entity;
  assert.equal(redactEntity(plain), plain);
  assert.equal(defaultRedact.length, 9);
});

test('limits and tokens that are none ask for everything', () => {
  assert.deepEqual([undefined, '', '0', '2'].map(parseLimit), [0, 0, 0, 2]);
  for (const text of ['x', '-1', '1e3', '2.5', ' 2']) assert.equal(parseLimit(text), undefined);
  for (const token of [undefined, '', '!!', 'YQ', '_____w']) assert.equal(decodeContinue(token), undefined);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (key) => {
      const token = encodeContinue(key);
      assert.match(token, /^[\w-]+$/);
      assert.equal(decodeContinue(token), key);
    }),
  );
});

test('entity tags name bytes, and conditions are asked of them', () => {
  const etag = etagOf('{"a":1}');
  assert.match(etag, /^"[0-9a-f]{32}"$/);
  assert.equal(etagOf(Buffer.from('{"a":1}')), etag);
  assert.notEqual(etagOf('{"a":2}'), etag);
  assert.equal(conditionsHold({}, etag), true);
  for (const ifMatch of [etag, `W/${etag}`, '*', `"x", ${etag}`]) {
    assert.equal(conditionsHold({ ifMatch }, etag), true, ifMatch);
    assert.equal(conditionsHold({ ifNoneMatch: ifMatch }, etag), false, ifMatch);
  }
  assert.equal(conditionsHold({ ifMatch: '"x"' }, etag), false);
  assert.equal(conditionsHold({ ifNoneMatch: '"x"' }, etag), true);
});

test('wrapping lifts the metadata out, and unwrapping puts it back', () => {
  const handler = { metadata: { name: 'h' }, type: 'set', handlers: ['a'] };
  const wrapped = wrap('Handler', 'core/v2', handler);
  assert.deepEqual(wrapped, {
    type: 'Handler',
    api_version: 'core/v2',
    metadata: { name: 'h' },
    spec: { type: 'set', handlers: ['a'] },
  });
  assert.deepEqual(unwrap(good(readWrapped(JSON.parse(JSON.stringify(wrapped))))), handler);
  assert.equal(isWrapped(wrapped), true);
  assert.equal(isWrapped(handler), false);
  assert.equal(good(readWrapped({ Type: 'ldap', Spec: {} })).type, 'ldap');
  assert.match(bad(readWrapped({ spec: {} })), /^type is required/);
  assert.match(bad(readWrapped({ type: 'A', spec: [] })), /^spec must be an object$/);
  assert.match(bad(readWrapped(null)), /^a resource must be an object/);
});

test('names are judged by the pattern of their kind, up to 600 characters', () => {
  assert.equal(nameFault('check name', 'a.B-c:9_'), null);
  for (const name of ['a b', 'a/b', 'é', 'a\n', '<x>']) {
    assert.equal(nameFault('check name', name), 'check name cannot contain spaces or special characters');
  }
  assert.equal(nameFault('n', 'a'.repeat(600)), null);
  assert.equal(nameFault('n', 'a'.repeat(601)), 'n must be at most 600 characters');
  assert.equal(strictNameFault('username', 'a.b-1_'), null);
  assert.notEqual(strictNameFault('username', 'A'), null);
  for (const name of ['linux', 'entity:web-01', 'a:b']) assert.equal(subscriptionFault('s', name), null);
  for (const name of [':a', 'a:', 'a:b:c', 'a::b']) assert.notEqual(subscriptionFault('s', name), null);
  assert.equal(assetNameFault('acme/a_b-c.1:2'), null);
  assert.equal(assetNameFault(''), 'name cannot be empty');
});

test('the seeds are good resources, and those a backend needs', () => {
  const seeds = seedsFor('admin', 'admin-password');
  assert.deepEqual(seeds.namespaces, [{ name: 'default' }]);
  assert.deepEqual(
    seeds.users.map(({ username, groups }) => [username, ...groups]),
    [
      ['admin', 'cluster-admins'],
      ['agent', 'system:agents'],
    ],
  );
  for (const user of seeds.users) assert.equal(validateUser(user), null);
  for (const role of seeds.clusterRoles) assert.equal(validateClusterRole(role), null);
  for (const binding of seeds.clusterRoleBindings) assert.equal(validateClusterRoleBinding(binding), null);
  for (const role of seeds.roles) assert.equal(validateRole(role), null);
  for (const provider of seeds.secretsProviders) assert.equal(validateSecretsProvider(provider), null);
  const names = new Set(seeds.clusterRoles.map((role) => role.metadata.name));
  for (const binding of seeds.clusterRoleBindings) assert.ok(names.has(binding.role_ref.name));
  const view = seeds.clusterRoles.find((role) => role.metadata.name === 'view');
  assert.equal(view?.rules[0]?.resources.includes('pipelines'), false);
  assert.equal(namespaceSeeds('prod').binding.metadata.namespace, 'prod');
});
