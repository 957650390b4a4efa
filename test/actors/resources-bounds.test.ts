// How much configuration is kept: so many resources of a kind, and so many bytes of all of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResourceTable } from '../../src/actors/resources/resource-table.ts';
import { MemoryCommitter, storeFull } from '../http/memory-committer.ts';

const id = (name: string) => ({ segment: 'filters', namespace: '', name });

const open = async (bounds: { maxPerKind: number; maxBytes: number }, committer = new MemoryCommitter()) => {
  const table = new ResourceTable({ committer, bounds });
  await table.load();
  return { table, committer };
};

test('so many resources of a kind are kept; one more is refused, and those that are there can be changed', async () => {
  const { table, committer } = await open({ maxPerKind: 2, maxBytes: 1_000 });
  for (const name of ['a', 'b']) await table.create(id(name), { name });
  await assert.rejects(table.create(id('c'), { name: 'c' }), /there are 2 filters already/);
  await table.put(id('a'), { name: 'a', changed: true });
  await table.create({ ...id('c'), segment: 'hooks' }, { name: 'c' });
  const { table: again } = await open({ maxPerKind: 2, maxBytes: 1_000 }, committer);
  assert.deepEqual(again.kept, table.kept);
  await assert.rejects(again.put(id('c'), { name: 'c' }), /there are 2 filters already/);
  await again.delete(id('a'));
  await again.put(id('c'), { name: 'c' });
  assert.equal(again.kept.count, 3);
});

test('many writes at once take no more places than there are, and one that fails gives its place back', async () => {
  const { table, committer } = await open({ maxPerKind: 3, maxBytes: 1_000 });
  const names = Array.from({ length: 12 }, (_, at) => `f${at}`);
  const told = await Promise.allSettled(names.map((name) => table.create(id(name), { name })));
  assert.equal(told.filter(({ status }) => status === 'fulfilled').length, 3);
  assert.deepEqual([table.count('filters'), table.kept.count], [3, 3]);
  const before = table.kept;
  await table.delete(id('f0'));
  committer.failWith = storeFull();
  await assert.rejects(table.create(id('new'), { name: 'new' }));
  await assert.rejects(table.put(id('f1'), { name: 'f1', text: 'x'.repeat(900) }));
  committer.failWith = null;
  await table.create(id('f0'), { name: 'f0' });
  assert.deepEqual(table.kept, before);
  const large = names.map((name) => table.put({ ...id(name), segment: 'hooks' }, { text: 'x'.repeat(300) }));
  assert.equal((await Promise.allSettled(large)).filter(({ status }) => status === 'fulfilled').length, 3);
});

test('all resources together take so many bytes; a change that makes one smaller is always taken', async () => {
  const text = (length: number) => ({ text: 'x'.repeat(length - '{"text":""}'.length) });
  const { table } = await open({ maxPerKind: 10, maxBytes: 1_000 });
  await table.put(id('a'), text(600));
  await table.put(id('b'), text(400));
  assert.equal(table.kept.bytes, 1_000);
  await assert.rejects(table.put(id('c'), text(20)), /more than 1000 bytes/);
  await assert.rejects(table.put(id('b'), text(401)), /more than 1000 bytes/);
  await table.put(id('b'), text(300));
  await table.put(id('c'), text(100));
  assert.equal(table.kept.bytes, 1_000);
});
