// Silencing: a straightforward reading of the rules as a model, and the resource around it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  completeSilenced,
  type Silenced,
  silencedDurationFault,
  silencedName,
  silencedSchema,
  validateSilenced,
} from '../../src/model/silence/silenced.ts';
import { isActive, isExpired, silencedBy } from '../../src/model/silence/silencing.ts';
import { fc } from '../property.ts';
import { event } from './samples.ts';

const entry = (fields: Partial<Silenced> = {}): Silenced => {
  const read = silencedSchema.parse({ metadata: { name: '', namespace: 'default' }, ...fields });
  return { ...read, metadata: { ...read.metadata, name: silencedName(read.subscription, read.check) } };
};

const now = 1_700_000_000;

test('a silence is named after what it silences', () => {
  assert.equal(silencedName('linux', undefined), 'linux:*');
  assert.equal(silencedName('', 'cpu'), '*:cpu');
  assert.equal(silencedName('*', 'cpu'), '*:cpu');
  assert.equal(silencedName('entity:web01', 'disk'), 'entity:web01:disk');
});

test('each failing rule of a silence has its own message', () => {
  const told = (fields: Partial<Silenced>) => validateSilenced(entry(fields));
  assert.equal(told({}), 'must provide check or subscription');
  assert.equal(told({ check: '*', subscription: '*' }), 'must provide check or subscription');
  assert.equal(told({ check: '', subscription: '*' }), 'must provide check or subscription');
  assert.equal(told({ subscription: 'a:b:c' }), 'Subscription cannot contain spaces or special characters');
  assert.equal(told({ check: 'a b' }), 'Check cannot contain spaces or special characters');
  assert.equal(told({ subscription: 'entity:web', check: '*' }), null);
});

test('a silence with a selector covers what it matches, and has a name of its own', () => {
  const named = (name: string, selector: string): Silenced => ({
    ...entry({ selector }),
    metadata: { name, namespace: 'default', labels: {}, annotations: {} },
  });
  const told = (selector: string, name = 'backups') => validateSilenced(named(name, selector));
  assert.equal(told("event.labels.region == 'eu' && event.check.name matches 'backup'"), null);
  assert.equal(told("'linux' in event.entity.subscriptions"), null);
  assert.match(
    told('event.check.nam == cpu') ?? '',
    /events have no field event\.check\.nam, did you mean event/,
  );
  assert.match(told('event.check.name =') ?? '', /^selector: could not parse/);
  assert.match(told("event.check.is_silenced == 'true'") ?? '', /must not use event\.check\.is_silenced/);
  assert.match(told("event.check.name == 'cpu'", '') ?? '', /needs a name/);
  assert.match(told("event.check.name == 'cpu'", 'a:b') ?? '', /must not contain a colon/);
  assert.match(told(`event.check.name == '${'x'.repeat(2_000)}'`) ?? '', /at most 2000 characters/);

  const cpu = event({ check: { name: 'cpu' } });
  const covers = (selector: string, more: Partial<Silenced> = {}) =>
    silencedBy(cpu, [{ ...named('backups', selector), ...more }], now);
  assert.deepEqual(covers("event.check.name == 'cpu'"), ['backups']);
  assert.deepEqual(covers("event.check.name == 'disk'"), []);
  assert.deepEqual(covers("event.check.name == 'cpu'", { check: 'disk' }), []);
  assert.deepEqual(covers("event.labels.region != 'eu'"), ['backups']);
});

test('a silence ends after its last second, not in it', () => {
  const silence = entry({ subscription: 'linux', begin: now, expire_at: now + 10 });
  assert.equal(isActive(silence, now - 1), false);
  assert.equal(isActive(silence, now), true);
  assert.equal(isActive(silence, now + 10), true);
  assert.equal(isExpired(silence, now + 11), true);
  assert.equal(isExpired(entry({ subscription: 'linux' }), now * 10), false);
});

test('of an agent check only subscriptions shared by check and entity silence', () => {
  const silences = ['linux', 'web', 'db', 'entity:web-01'].map((subscription) => entry({ subscription }));
  const result = event({ subscriptions: ['linux', 'db'] }, { subscriptions: ['linux', 'web'] });
  assert.deepEqual(silencedBy(result, silences, now), ['entity:web-01:*', 'linux:*']);
});

test('of a proxy check every subscription of the entity silences', () => {
  const silences = ['linux', 'web', 'db'].map((subscription) => entry({ subscription }));
  const result = event(
    { subscriptions: ['db'], proxy_entity_name: 'web-01' },
    { subscriptions: ['linux', 'web'] },
  );
  assert.deepEqual(silencedBy(result, silences, now), ['linux:*', 'web:*']);
});

test('an event of metrics alone is never silenced', () => {
  const metrics = { ...event(), check: undefined };
  assert.deepEqual(silencedBy(metrics as never, [entry({ subscription: 'linux' })], now), []);
});

const word = fc.constantFrom('a', 'b', 'c');
const pattern = fc.constantFrom(undefined, '', '*', 'a', 'b', 'entity:a', 'entity:b');
const anyEntry = fc.record({
  check: pattern,
  subscription: pattern,
  begin: fc.integer({ min: now - 2, max: now + 2 }),
  expire_at: fc.constantFrom(0, now - 1, now, now + 1),
});

test('property: the entries that silence are exactly those the rules name, once each, sorted', () => {
  fc.assert(
    fc.property(
      fc.array(anyEntry, { maxLength: 8 }),
      fc.record({ name: word, entity: word, own: fc.array(word), held: fc.array(word), proxy: fc.boolean() }),
      (raw, given) => {
        const entries = raw.map((fields) => entry(JSON.parse(JSON.stringify(fields))));
        const result = event(
          {
            metadata: { name: given.name },
            subscriptions: given.own,
            proxy_entity_name: given.proxy ? given.entity : '',
          },
          { metadata: { name: given.entity }, subscriptions: given.held },
        );
        const matches = (mine: string | undefined, value: string) =>
          mine === undefined || mine === '' || mine === '*' || mine === value;
        const reach = given.proxy ? given.held : given.own.filter((s) => given.held.includes(s));
        const wanted = entries
          .filter((e) => e.begin <= now && (e.expire_at === 0 || e.expire_at >= now))
          .filter((e) => matches(e.check, given.name))
          .filter((e) => [`entity:${given.entity}`, ...reach].some((s) => matches(e.subscription, s)))
          .map((e) => e.metadata.name);
        assert.deepEqual(silencedBy(result, entries, now), [...new Set(wanted)].sort());
      },
    ),
  );
});

test('a stored silence has begun, has its creator, and knows its end', () => {
  const complete = (fields: Partial<Silenced>, defaultExpireSeconds?: number) =>
    completeSilenced(entry({ subscription: 'linux', ...fields }), {
      creator: 'alice',
      nowSeconds: now,
      ...(defaultExpireSeconds === undefined ? {} : { defaultExpireSeconds }),
    });
  const endless = complete({ creator: 'mallory' });
  assert.deepEqual(
    [endless.metadata.name, endless.creator, endless.begin, endless.expire, endless.expire_at],
    ['linux:*', 'alice', now, -1, 0],
  );
  assert.deepEqual([complete({ expire: 0 }).expire, complete({ expire: 0 }).expire_at], [-1, 0]);
  assert.equal(complete({ expire: 60 }).expire_at, now + 60);
  assert.equal(complete({ expire: 60, begin: now + 100 }).expire_at, now + 160);
  assert.equal(complete({ expire: 60, expire_at: now + 5 }).expire_at, now + 5);
  assert.equal(complete({}, 300).expire_at, now + 300);
  assert.equal(complete({ expire: 60 }, 300).expire_at, now + 60);
});

test('a silence longer than allowed is refused; without a limit none is', () => {
  const until = (expire_at: number) => entry({ subscription: 'linux', expire_at });
  const why = 'Threshold reached: silenced crossed maximum duration allowed';
  assert.equal(silencedDurationFault(until(now + 60), now, 60), null);
  assert.equal(silencedDurationFault(until(now + 61), now, 60), why);
  assert.equal(silencedDurationFault(until(0), now, 60), why);
  assert.equal(silencedDurationFault(until(now + 61), now, 0), null);
});
