// The memory store keeps the contract, and fails the way tests ask it to.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MemoryDisk, MemoryStore } from '../../src/store/memory-store.ts';
import { StoreError } from '../../src/store/snapshot-store.ts';
import { describeStoreContract } from './contract.ts';
import { put, record, written } from './records.ts';

describeStoreContract('memory', {
  createHome: async () => {
    const disk = new MemoryDisk();
    return {
      open: async () => new MemoryStore({ disk }),
      damage: async (key) => disk.corrupt('check', key, '{"damaged'),
      quarantinedText: async (key) => disk.quarantine.get(`check/${key}`),
      dispose: async () => {},
    };
  },
});

it('fails as often as it was told to, then works again', async () => {
  const store = new MemoryStore();
  store.fail(new StoreError('full', 'no space left'), 2);
  await assert.rejects(store.commit([put('k', 1)]), { code: 'full' });
  await assert.rejects(store.commit([put('k', 1)]), { code: 'full' });
  assert.deepEqual(await store.commit([put('k', 1)]), [written]);
  store.fail(new StoreError('unavailable', 'gone'));
  await assert.rejects(store.commit([put('k', 2)]), { code: 'unavailable' });
  assert.deepEqual(await store.get('check', 'k'), record(1));
  store.recover();
  assert.deepEqual(await store.commit([put('k', 2)]), [written]);
});
