// Watching stays cheap: the number of watched actors is limited, and the least recently requested one is released
// first.
import assert from 'node:assert/strict';
import test from 'node:test';
import type { ActorId } from '../../../src/actors/runtime/contract.ts';
import { maxWatchedActors } from '../../../src/http/inspect/limits.ts';
import { createWatchHub } from '../../../src/http/inspect/watch-hub.ts';
import { createFakeSystem } from './fake-system.ts';
import { sampleMachine } from './sample-machine.ts';

test('the number of watched actors is limited; one more replaces the least recently requested', (t) => {
  const system = createFakeSystem([]);
  const hub = createWatchHub(system.port, () => {
    throw new Error('no frames here');
  });
  t.after(() => hub.close());
  const idOf = (at: number): ActorId => `sample:default/${at}` as ActorId;
  for (let at = 0; at <= maxWatchedActors + 1; at += 1) system.add(idOf(at), sampleMachine);
  for (let at = 0; at < maxWatchedActors; at += 1) {
    system.nowMs += 1;
    assert.equal(hub.touch(idOf(at)), true);
  }
  assert.equal(system.observerCount(), maxWatchedActors);
  system.nowMs += 1;
  hub.touch(idOf(0));
  assert.equal(hub.touch(idOf(maxWatchedActors)), true);
  assert.equal(hub.watchedCount(), maxWatchedActors);
  assert.equal(system.observerCount(), maxWatchedActors);
  assert.equal(system.actor(idOf(1)).observers.size, 0, 'the one asked about longest ago');
  assert.equal(system.actor(idOf(0)).observers.size, 1);

  const everybody = new Set(
    Array.from({ length: maxWatchedActors + 1 }, (_, at) => idOf(at)).filter((_, at) => at !== 1),
  );
  const leave = hub.follow(everybody, () => {});
  assert.equal(hub.touch(idOf(maxWatchedActors + 1)), false, 'nobody who is followed makes room');
  leave();
  assert.equal(hub.touch(idOf(maxWatchedActors + 1)), true);
});
