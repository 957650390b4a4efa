// Lists and counts gathered from several backends: complete and in order, and whoever is missing is named.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerAsks, ask } from '../../src/cluster/ask.ts';
import { cutPage, gather, gatherPage, type PagePart } from '../../src/cluster/gather.ts';
import { MemoryBusServer } from '../../src/cluster/memory-bus.ts';
import { subjectsOf } from '../../src/cluster/subjects.ts';
import { MonError } from '../../src/model/errors.ts';
import { createSimulatedClock } from '../actors/runtime/simulated-clock.ts';
import { fc, seeded } from '../property.ts';

const subjects = subjectsOf('test');

const busWorld = (maxPayloadBytes?: number) => {
  const clock = createSimulatedClock();
  const server = new MemoryBusServer({
    clock,
    random: seeded(1),
    ...(maxPayloadBytes === undefined ? {} : { maxPayloadBytes }),
  });
  return { clock, server, asker: server.connect('asker') };
};

test('all are asked at once; who is away or silent is named, and the others are heard', async () => {
  const { clock, server, asker } = busWorld();
  const counts: Readonly<Record<string, number>> = { b1: 3, b2: 4 };
  for (const [backend, count] of Object.entries(counts))
    answerAsks(server.connect(backend), subjects.ask(backend), { count: async () => count });
  server.connect('b3').subscribe(subjects.ask('b3'), () => {});
  const gathering = gather(['b4', 'b3', 'b2', 'b1'], (backend) =>
    ask(asker, subjects.ask(backend), { method: 'count', params: {} }, 2_000),
  );
  await clock.advanceAsync(2_100);
  const { answers, missing } = await gathering;
  assert.deepEqual(Object.fromEntries(answers), counts);
  assert.deepEqual(missing, [
    { backend: 'b3', why: 'no answer in time' },
    { backend: 'b4', why: 'not reachable' },
  ]);
});

test('a refusal is an error for the caller; a fault or an unknown method of one backend is not', async () => {
  const { clock, server, asker } = busWorld();
  const failing = { count: async () => Promise.reject(new TypeError('a bug')) };
  answerAsks(server.connect('b1'), subjects.ask('b1'), { count: async () => 1 });
  answerAsks(server.connect('b2'), subjects.ask('b2'), failing);
  answerAsks(server.connect('b3'), subjects.ask('b3'), {});
  const asked = (backends: readonly string[], method: string) =>
    gather(backends, (backend) => ask(asker, subjects.ask(backend), { method, params: null }, 1_000));
  const gathering = asked(['b1', 'b2', 'b3'], 'count');
  await clock.advanceAsync(10);
  assert.deepEqual((await gathering).missing, [
    { backend: 'b2', why: 'a bug' },
    { backend: 'b3', why: 'this version cannot answer "count"' },
  ]);
  const odd = asked(['b1'], 'constructor');
  await clock.advanceAsync(10);
  assert.deepEqual((await odd).missing, [{ backend: 'b1', why: 'this version cannot answer "constructor"' }]);
  const refuse = { count: async () => Promise.reject(new MonError('invalid', 'the selector is wrong')) };
  answerAsks(server.connect('b4'), subjects.ask('b4'), refuse);
  const refused = assert.rejects(asked(['b1', 'b4'], 'count'), (error: unknown) => {
    assert.ok(error instanceof MonError);
    assert.deepEqual([error.kind, error.message], ['invalid', 'the selector is wrong']);
    return true;
  });
  await clock.advanceAsync(10);
  await refused;
});

test('an answer that is larger than the bus takes is named as such; a list is cut to what fits', async () => {
  const { clock, server, asker } = busWorld(4_096);
  const items = Array.from({ length: 100 }, (_, index) => ({
    key: String(index).padStart(3, '0'),
    text: 'x'.repeat(100),
  }));
  const page = { items, total: items.length };
  answerAsks(server.connect('b1'), subjects.ask('b1'), {
    whole: async () => page,
    list: async (_params, maxBytes) => cutPage(page, ({ key }) => key, maxBytes),
  });
  const whole = gather(['b1'], () =>
    ask(asker, subjects.ask('b1'), { method: 'whole', params: null }, 1_000),
  );
  await clock.advanceAsync(10);
  const [missing] = (await whole).missing;
  assert.match(
    missing?.why ?? '',
    /^an answer of \d+ bytes is larger than the NATS server takes \(max_payload 4096\)$/,
  );
  const list = ask(asker, subjects.ask('b1'), { method: 'list', params: null }, 1_000);
  await clock.advanceAsync(10);
  const cut = (await list) as PagePart<{ key: string }, string>;
  assert.ok(cut.items.length > 20 && cut.items.length < 40, `${cut.items.length}`);
  assert.equal(cut.next, cut.items.at(-1)?.key);
  assert.equal(cut.total, 100);
});

interface Item {
  readonly key: string;
  readonly rank: number;
}

const compare = (a: Item, b: Item): number => a.rank - b.rank || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

/** A backend that answers at most `most` items at a time, whatever was asked for. */
const backendOf =
  (own: readonly Item[], most: number) =>
  async (after: Item | undefined, limit: number): Promise<PagePart<Item, Item>> => {
    const rest = [...own].sort(compare).filter((item) => after === undefined || compare(item, after) > 0);
    const items = rest.slice(0, Math.min(limit, most));
    const last = items.at(-1);
    return { items, total: own.length, ...(items.length < rest.length && last ? { next: last } : {}) };
  };

test('pages over all backends give every item once and in order, however each cuts its own', async () => {
  const item = fc.record({ rank: fc.nat(3), backend: fc.nat(3) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(item, { maxLength: 60 }),
      fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 4, maxLength: 4 }),
      fc.integer({ min: 1, max: 12 }),
      async (drawn, cuts, limit) => {
        const all = drawn.map(({ rank, backend }, index) => ({ key: `k${index}`, rank, backend }));
        const backends = new Map(
          cuts.map((most, index) => [
            `b${index}`,
            backendOf(
              all.filter(({ backend }) => backend === index),
              most,
            ),
          ]),
        );
        const seen: string[] = [];
        let after: Item | undefined;
        for (let pages = 0; pages <= all.length; pages += 1) {
          const page = await gatherPage<Item, Item>({
            backends: [...backends.keys()],
            askOne: async (backend, place, most) => backends.get(backend)?.(place, most) ?? assert.fail(),
            compare,
            keyOf: ({ key }) => key,
            placeOf: (each) => each,
            after,
            limit,
          });
          assert.equal(page.total, all.length);
          assert.deepEqual(page.missing, []);
          assert.ok(page.items.length === limit || page.next === undefined, 'a page is full or the last');
          seen.push(...page.items.map(({ key }) => key));
          after = page.next;
          if (after === undefined) break;
        }
        assert.deepEqual(
          seen,
          [...all].sort(compare).map(({ key }) => key),
        );
      },
    ),
    { numRuns: 60 },
  );
});

test('an item that two backends have is shown once; who fails halfway or answers nothing is named', async () => {
  const items = ['a', 'b', 'c', 'd'].map((key) => ({ key, rank: 0 }));
  const base = { compare, keyOf: ({ key }: Item) => key, placeOf: (each: Item) => each, limit: 10 };
  const twice = await gatherPage<Item, Item>({
    ...base,
    backends: ['b1', 'b2'],
    askOne: (_backend, after, limit) => backendOf(items, 10)(after, limit),
  });
  assert.deepEqual(twice.items, items);
  let calls = 0;
  const halfway = await gatherPage<Item, Item>({
    ...base,
    backends: ['b1', 'b2', 'b3'],
    askOne: async (backend, after, limit) => {
      if (backend === 'b3') return { items: [], next: { key: 'z', rank: 9 } };
      if (backend === 'b2') return backendOf(items.slice(2), 10)(after, limit);
      calls += 1;
      if (calls > 1) throw new Error('it ended');
      return backendOf(items.slice(0, 2), 1)(after, limit);
    },
  });
  assert.deepEqual(
    halfway.items.map(({ key }) => key),
    ['a', 'c', 'd'],
  );
  assert.deepEqual(halfway.missing, [
    { backend: 'b1', why: 'it ended' },
    { backend: 'b3', why: 'it has more, and answered with nothing' },
  ]);
});
