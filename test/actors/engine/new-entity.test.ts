// An event that brings a proxy entity into being: its sender is answered for both records.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryStore } from '../../../src/store/memory-store.ts';
import type { SnapshotStore, WriteOutcome } from '../../../src/store/snapshot-store.ts';
import { World } from './world.ts';

test('an event is acknowledged only when the proxy entity it brought into being is durable, too', async () => {
  let isEntityRefused = false;
  const world = await World.open({
    store: (disk) => {
      const memory = new MemoryStore({ disk });
      const write = memory.commit.bind(memory);
      const commit: SnapshotStore['commit'] = async (writes) => {
        const outcomes = await write(writes.filter(({ kind }) => !isEntityRefused || kind !== 'entity'));
        let next = 0;
        return writes.map(
          ({ kind }): WriteOutcome =>
            isEntityRefused && kind === 'entity'
              ? { written: false, why: 'stale', storedRev: 99 }
              : (outcomes[next++] as WriteOutcome),
        );
      };
      return Object.assign(memory, { commit });
    },
  });
  await world.post({ status: 1 }, { name: 'router-1', entity_class: 'proxy' });
  isEntityRefused = true;
  await assert.rejects(world.post({ status: 1 }, { name: 'router-2', entity_class: 'proxy' }), /owner/);
  assert.equal(await world.drive(world.backend.readEntity('default', 'router-2')), undefined);
  // An entity that is known already is not written again.
  await world.post({ status: 2 }, { name: 'router-1', entity_class: 'proxy' });
  await world.stop();
});

test('many new proxy entities at once take no more places than the entity limit has', async (t) => {
  const world = await World.open({ entityLimit: 3 });
  t.after(() => world.stop());
  const names = Array.from({ length: 12 }, (_, at) => `router-${at}`);
  const posts = names.map((name) => world.post({ status: 1 }, { name, entity_class: 'proxy' }));
  const told = await Promise.allSettled(posts);
  assert.equal(told.filter(({ status }) => status === 'fulfilled').length, 3);
  assert.deepEqual(world.backend.entityAllowance(), { count: 3, limit: 3 });
});
