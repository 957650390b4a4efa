// What a session remembers of its agent's entity must never show: frames read with a memory and without say the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonCodec } from '../../src/http/edge/codec.ts';
import { readEventFrame } from '../../src/http/edge/frame-reader.ts';
import { createJsonMemory } from '../../src/http/edge/json-memory.ts';
import { KnownEntity } from '../../src/http/edge/known-entity.ts';
import { KnownFrames } from '../../src/http/edge/known-frame.ts';
import { knownJson } from '../../src/model/schema/known-json.ts';
import { fc } from '../property.ts';

const agent = { namespace: 'default', agentName: 'web-01', mayReportFor: () => true };
const id = '00000000-0000-4000-8000-000000000001';

const read = (payload: Buffer, known?: KnownEntity) =>
  readEventFrame('event', payload, jsonCodec, agent, known && createJsonMemory(new KnownFrames(), known));

const entityText = (over: Record<string, unknown> = {}): string =>
  JSON.stringify({
    entity_class: 'agent',
    system: { hostname: 'web {"01"}', processes: null },
    subscriptions: ['linux'],
    last_seen: 1_700_000_000,
    metadata: { name: 'web-01', labels: { odd: '}"last_seen":5{\\' } },
    ...over,
  });

const frame = (entity: string, status = 0, before = ''): Buffer =>
  Buffer.from(
    `{"timestamp":1,"id":"${id}",${before}"entity":${entity},"check":{"metadata":{"name":"cpu"},"interval":10,"status":${status}}}`,
  );

const eventOf = (payload: Buffer, known?: KnownEntity) => {
  const result = read(payload, known);
  assert.ok(result.ok, result.ok ? '' : result.message);
  return result.event;
};

/** A frame without an id is given a random one. */
const sameId = (result: ReturnType<typeof read>): unknown =>
  result.ok ? { ...result.event, id: result.id === id } : result;

test('an entity that came before is used again, and only its last_seen is read', () => {
  const known = new KnownEntity();
  const first = eventOf(frame(entityText()), known);
  assert.equal(eventOf(frame(entityText(), 1), known).entity, first.entity);
  const later = frame(entityText({ last_seen: 1_700_000_099 }), 2);
  assert.notEqual(known.recognise(later), undefined);
  const event = eventOf(later, known);
  assert.equal(event.entity.last_seen, 1_700_000_099);
  assert.equal(eventOf(later, known).entity, event.entity);
  assert.deepEqual(event, eventOf(later));
});

test('the remembered text is what JSON.stringify gives', () => {
  const known = new KnownEntity();
  for (const last_seen of [1_700_000_000, 1_700_000_001]) {
    const { entity } = eventOf(frame(entityText({ last_seen })), known);
    assert.equal(knownJson(entity), JSON.stringify(entity));
  }
});

test('a changed entity is parsed again', () => {
  const known = new KnownEntity();
  eventOf(frame(entityText()), known);
  const changed = frame(entityText({ subscriptions: ['windows'] }));
  assert.equal(known.recognise(changed), undefined);
  assert.deepEqual(eventOf(changed, known).entity.subscriptions, ['windows', 'entity:web-01']);
});

test('a last_seen that is not the plain one of the entity itself is never touched', () => {
  const nested = entityText({ last_seen: 0, system: { processes: [{ name: 'a', last_seen: 7 }] } });
  const known = new KnownEntity();
  eventOf(frame(nested), known);
  const other = frame(nested.replace('"last_seen":7', '"last_seen":8'));
  assert.deepEqual(eventOf(other, known), eventOf(other));
});

test('with and without a memory, frames read the same', () => {
  const name = fc.constantFrom('web-01', 'web-02', '');
  const seen = fc.constantFrom<unknown>(0, 1, 1_700_000_000, 1_700_000_001, -1, 1.5, '5', null, 1e21);
  const entity = fc
    .record({ name, seen, labels: fc.dictionary(fc.string(), fc.string()), extra: fc.jsonValue() })
    .map((over) =>
      entityText({
        last_seen: over.seen,
        metadata: { name: over.name, labels: over.labels },
        system: { processes: [{ name: 'p', extra: over.extra }] },
        extra: over.extra,
      }),
    );
  const before = fc.constantFrom(
    '',
    '"metadata":{"entity":{}},',
    '"x":"{",',
    '"pipelines":[],',
    ' ',
    '"entity":null,',
  );
  const change = fc.option(
    fc.tuple(fc.nat(), fc.constantFrom('0', '9', '"', '{', '}', ',', ' ', '\\', 'e', '.')),
  );
  const payload = fc
    .tuple(fc.constantFrom(0, 1), fc.nat({ max: 2 }), before, change)
    .chain(([which, status, text, hit]) => fc.constant({ which, status, text, hit }));
  fc.assert(
    fc.property(
      fc.array(entity, { minLength: 2, maxLength: 2 }),
      fc.array(payload, { maxLength: 12 }),
      (two, payloads) => {
        const known = new KnownEntity();
        for (const { which, status, text, hit } of payloads) {
          const bytes = frame(two[which] ?? '{}', status, text);
          if (hit !== null) bytes.write(hit[1], hit[0] % bytes.length);
          const plain = read(Buffer.from(bytes));
          assert.deepEqual(sameId(read(bytes, known)), sameId(plain));
          if (plain.ok) {
            const { event } = plain;
            const text = knownJson(eventOf(bytes, known).entity);
            if (text !== undefined)
              assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(event.entity)));
          }
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

test('a document with two entities is read as a whole', () => {
  const known = new KnownEntity();
  eventOf(frame(entityText()), known);
  const text = frame(entityText()).toString();
  const twice = Buffer.from(`${text.slice(0, -1)},"entity":${entityText({ subscriptions: ['other'] })}}`);
  assert.deepEqual(eventOf(twice, known).entity.subscriptions, ['other', 'entity:web-01']);
});
