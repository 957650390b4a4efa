// An export taken while others write is what the store held at one moment: the writes before it, whole, and none after it.
import assert from 'node:assert/strict';
import test from 'node:test';
import { type ExportItem, exportable } from '../../src/store/backup/consistent-export.ts';
import type { Examined } from '../../src/store/maintained-store.ts';
import { MemoryStore } from '../../src/store/memory-store.ts';
import type { RecordKind, StoreWrite } from '../../src/store/snapshot-store.ts';
import { seed, seeded } from '../property.ts';
import { put, remove } from './records.ts';

const few = { maxHeldKeys: 2, maxHeldBytes: 1_000_000, maxRounds: 100, maxNotedKeys: 1_000 };
/** A writer ends by itself when an export does not. */
const maxWrites = 500;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What whoever reads an export makes of it: the last that was said of a key. */
const apply = (contents: Map<string, number>, item: ExportItem): void => {
  if (item.type === 'record') contents.set(item.key, item.record.rev);
  if (item.type === 'gone') contents.delete(item.key);
};

const applyWrite = (contents: Map<string, number>, write: StoreWrite): void => {
  if (write.type === 'put') contents.set(write.key, write.record.rev);
  else contents.delete(write.key);
};

const textOf = (contents: ReadonlyMap<string, number>): string => JSON.stringify([...contents].sort());

/** A read takes its time, so that writes can take effect between two of them. */
class SlowReads extends MemoryStore {
  override async examineOne(kind: RecordKind, key: string): Promise<Examined | undefined> {
    await turn();
    await turn();
    return super.examineOne(kind, key);
  }
}

test('an export is what the store held at one moment, however much is written meanwhile', async () => {
  const random = seeded(seed);
  const below = (n: number): number => Math.floor(random() * n);
  for (let run = 0; run < 40; run += 1) {
    /** In the order in which they took effect. */
    const applied: StoreWrite[] = [];
    const inner = new SlowReads({
      maxConcurrentCommits: 4,
      beforeCommit: async () => {
        for (let turns = below(4); turns > 0; turns -= 1) await turn();
      },
      afterCommit: async (writes) => {
        applied.push(...writes);
        for (let turns = below(4); turns > 0; turns -= 1) await turn();
      },
    });
    const { store, export: startExport } = exportable(inner, few);
    const revs = new Map<string, number>();
    const busy = new Set<string>();
    const write = async (): Promise<void> => {
      const key = `key-${below(12)}`;
      if (busy.has(key)) return turn();
      busy.add(key);
      const rev = (revs.get(key) ?? 0) + 1;
      revs.set(key, rev);
      await store.commit([random() < 0.3 ? remove(key, rev) : put(key, rev)]);
      busy.delete(key);
    };
    for (let n = 0; n < 20; n += 1) await write();
    let isOver = false;
    const writers = [1, 2, 3].map(async () => {
      for (let n = 0; n < maxWrites && !isOver; n += 1) {
        await write();
        for (let turns = below(8); turns > 0; turns -= 1) await turn();
      }
    });
    const exported = new Map<string, number>();
    for await (const item of startExport()) {
      apply(exported, item);
      if (random() < 0.5) await turn();
    }
    isOver = true;
    await Promise.all(writers);

    const state = new Map<string, number>();
    const moments = new Set([textOf(state)]);
    for (const one of applied) {
      applyWrite(state, one);
      moments.add(textOf(state));
    }
    assert.ok(
      moments.has(textOf(exported)),
      `run ${run}, seed ${seed}: the store never held ${textOf(exported)}`,
    );
  }
});

test('one export at a time; the next may begin when one was given up', async () => {
  const { store, export: startExport } = exportable(new MemoryStore());
  await store.commit([put('a', 1), put('b', 1)]);
  const first = startExport();
  await first.next();
  await assert.rejects(startExport().next(), /another backup of this store is under way/);
  await first.return();
  const items: ExportItem[] = [];
  for await (const item of startExport()) items.push(item);
  assert.equal(items.filter(({ type }) => type === 'record').length, 2);
});

test('a reader that stands still after the last round holds up nobody', async () => {
  const { store, export: startExport } = exportable(new MemoryStore(), few);
  await store.commit([put('a', 1)]);
  const items = startExport();
  for (let item = await items.next(); item.value?.type !== 'changes'; item = await items.next());
  await store.commit([put('a', 2)]);
  assert.equal((await items.next()).value?.type, 'record');
  assert.deepEqual(await store.commit([put('a', 3)]), [{ written: true }]);
});

test('what is unreadable is told and stays where it is', async () => {
  const inner = new MemoryStore();
  const { store, export: startExport } = exportable(inner);
  await store.commit([put('good', 1), put('bad', 1)]);
  inner.disk.corrupt('check', 'bad', 'damaged');
  const items: ExportItem[] = [];
  for await (const item of startExport()) items.push(item);
  assert.deepEqual(
    items.find(({ type }) => type === 'unreadable'),
    { type: 'unreadable', kind: 'check', key: 'bad', fault: 'not JSON' },
  );
  assert.equal(await store.count('check'), 2);
});

test('an export that can never catch up gives up with a message', async () => {
  const inner = new MemoryStore();
  const { store, export: startExport } = exportable(inner, { ...few, maxHeldKeys: -1, maxRounds: 3 });
  await store.commit([put('a', 1)]);
  await assert.rejects(async () => {
    for await (const _ of startExport());
  }, /written to more quickly than it can be read/);
});

test('an export gives up when more keys are written meanwhile than it may note', async () => {
  const exportDuring = async (writes: number): Promise<number> => {
    const { store, export: startExport } = exportable(new MemoryStore(), { ...few, maxNotedKeys: 3 });
    await store.commit([put('a', 1), put('b', 1)]);
    const items = startExport();
    await items.next();
    for (let n = 0; n < writes; n += 1) await store.commit([put(`new-${n}`, 1)]);
    let count = 1;
    for await (const _ of items) count += 1;
    return count;
  };
  assert.equal(await exportDuring(3), 6, 'a, b, the changes');
  await assert.rejects(exportDuring(4), /more than 3 records were written during the backup/);
});
