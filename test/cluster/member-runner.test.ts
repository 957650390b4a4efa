// Members with real clocks on a real store: three share the shards, one leaves, and an old incarnation comes to nothing.
import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { shardCount } from '../../src/cluster/limits.ts';
import { type MemberRunner, runMember } from '../../src/cluster/member-runner.ts';
import { openMongoStore } from '../../src/store/mongo-store.ts';
import { eventually } from '../eventually.ts';
import { startStandIn } from '../store/mongodb-server.ts';

const server = await startStandIn();
after(() => server.stop());

const clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  setTimer: (task: () => void, delayMs: number) => {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
};

const start = async (t: TestContext, name: string, others: MemberRunner[]) => {
  const store = await openMongoStore({ url: `${server.url}/mon_runner_${process.pid}` });
  const loaded = new Map<number, number>();
  const wanted = new Map<number, number>();
  const unload = async (shard: number): Promise<void> => {
    wanted.delete(shard);
    loaded.delete(shard);
  };
  let lost = 0;
  const runner = runMember({
    incarnation: `${name}.${Math.round(performance.now() * 1_000)}`,
    name,
    leases: store.leases,
    clock,
    host: {
      load: async (shard, epoch) => {
        wanted.set(shard, epoch);
        await sleep(1);
        if (wanted.get(shard) === epoch) loaded.set(shard, epoch);
      },
      stop: unload,
      drop: unload,
    },
    poke: () => {
      for (const other of others) if (other !== runner) other.poked();
    },
    onFault: () => {},
    onLost: () => {
      lost += 1;
    },
  });
  others.push(runner);
  t.after(async () => {
    runner.halt();
    await store.close();
  });
  const accepted = (): number[] =>
    Array.from({ length: shardCount }, (_, shard) => shard).filter(
      (shard) => runner.member.accepts(shard, runner.now()) !== undefined,
    );
  return { runner, store, loaded, accepted, lost: () => lost };
};

test('members share the shards, a member that drains hands its own over, and one that was declared dead ends', async (t) => {
  const runners: MemberRunner[] = [];
  const one = await start(t, 'b1', runners);
  await eventually('one that serves all', () => one.accepted().length === shardCount);
  const two = await start(t, 'b2', runners);
  await eventually('a second one with a share', () => two.accepted().length > 0);
  await two.runner.confirm();
  assert.ok(one.accepted().length + two.accepted().length <= shardCount);

  await two.runner.drain();
  assert.deepEqual([two.runner.member.status, two.loaded.size], ['left', 0]);
  await assert.rejects(two.runner.confirm(), /no member/);
  await eventually('all with the first again', () => one.accepted().length === shardCount);

  const self = (await one.store.leases.members()).find(({ name }) => name === 'b1');
  assert.ok(self);
  await one.store.leases.leave(self.incarnation);
  await eventually('the loss', () => one.lost() === 1);
  assert.deepEqual([one.accepted(), one.runner.member.status, one.loaded.size], [[], 'lost', 0]);
});
