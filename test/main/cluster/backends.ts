// Backends of a cluster in one process, for tests: each with its own store and clock, on a bus in memory. One backend alone has
// no cluster, so that the same scenario can be played on one and on several.
import { Forwarder } from '../../../src/cluster/forward.ts';
import { type BusFaults, MemoryBusServer } from '../../../src/cluster/memory-bus.ts';
import { Receiver } from '../../../src/cluster/receive.ts';
import { placement, shardOf } from '../../../src/cluster/shards.ts';
import { subjectsOf } from '../../../src/cluster/subjects.ts';
import { forwardEvents, takeForwarded } from '../../../src/main/cluster/event-forwarding.ts';
import { answerPeers, peersOverBus } from '../../../src/main/cluster/peers.ts';
import { World, type WorldOptions } from '../../actors/engine/world.ts';
import { createSimulatedClock } from '../../actors/runtime/simulated-clock.ts';
import { seeded } from '../../property.ts';

const subjects = subjectsOf('test');

interface Member {
  readonly name: string;
  readonly world: World;
  readonly bus: ReturnType<MemoryBusServer['connect']> | undefined;
  /** Answers no more questions, as if it hung. */
  readonly fallSilent: () => void;
  readonly receiver: Receiver | undefined;
  /** Takes events of others again. */
  readonly receive: () => Receiver;
}

export interface Members {
  readonly members: readonly Member[];
  readonly reports: readonly string[];
  /** The member that takes the n-th call. */
  at(index: number): Member;
  /** Time passes on all of them and on the bus, a little here and a little there. */
  pass(ms: number, stepMs?: number): Promise<void>;
  /** Lets time pass until the promise settles. */
  drive<T>(promise: Promise<T>): Promise<T>;
}

const maxSteps = 20_000;

/** Of two backends the one where an entity lives. */
export const homeOf = (namespace: string, name: string): string | undefined =>
  placement(['b1', 'b2'], shardOf(namespace, name));

/** The first entities `web-<n>` that live on each of two backends, so many each, in the order of their numbers. */
export const entitiesOnBoth = (each: number): readonly string[] => {
  const found: { readonly name: string; readonly home: string | undefined }[] = [];
  for (let index = 0; index < 1_000; index += 1) {
    const name = `web-${index}`;
    const home = homeOf('default', name);
    if (found.filter((one) => one.home === home).length < each) found.push({ name, home });
  }
  return found.map(({ name }) => name);
};

export interface Ending {
  after(done: () => Promise<void>): void;
}

/** Opens so many backends, `b1` and so on. They are gone when the test ends. */
export const openMembers = async (
  t: Ending,
  count: number,
  options: WorldOptions = {},
  faults?: BusFaults,
): Promise<Members> => {
  const clock = createSimulatedClock();
  const server = new MemoryBusServer({ clock, random: seeded(1) });
  if (faults !== undefined) server.faults = faults;
  const reports: string[] = [];
  const report = (_level: string, message: string): unknown => reports.push(message);
  const names = Array.from({ length: count }, (_, index) => `b${index + 1}`);
  const join = async (name: string): Promise<Member> => {
    const bus = server.connect(name);
    const ownerOf = (shard: number) => ({ backend: placement(names, shard) ?? '', epoch: 1 });
    const isMine = (shard: number): boolean => placement(names, shard) === name;
    const lookUpAgain = (): void => {};
    const forwarder = new Forwarder({
      ...{ bus, clock, ownerOf, lookUpAgain, report },
      sender: `${name}.1`,
      subjectOf: subjects.shards,
      random: seeded(2),
    });
    const world = await World.open({
      ...options,
      elsewhere: forwardEvents(forwarder, isMine),
      peers: peersOverBus({ bus, subjects, name, backends: () => names, isMine, ownerOf, lookUpAgain }),
    });
    const receive = (): Receiver =>
      new Receiver({
        ...{ bus, clock, report },
        subject: subjects.shards(name),
        ports: {
          holds: (shard) => ({ isMine: isMine(shard), epoch: 1 }),
          apply: takeForwarded((offered, receipt) => world.backend.takeEvent(offered, receipt)),
        },
      });
    const fallSilent = answerPeers({ bus, subjects, name }, world.backend);
    return { name, world, bus, receiver: receive(), receive, fallSilent };
  };
  const alone = async (): Promise<Member> => {
    const receive = (): Receiver => {
      throw new Error('a backend alone receives nothing from others');
    };
    const world = await World.open(options);
    return { name: 'b1', world, bus: undefined, receiver: undefined, receive, fallSilent: () => {} };
  };
  const members: Member[] = [];
  if (count === 1) members.push(await alone());
  else for (const name of names) members.push(await join(name));
  // Not stopped in good order: each would wait for others whose time does not pass.
  t.after(async () => {
    for (const { world } of members) await world.crash();
  });
  const pass = async (ms: number, stepMs = 5): Promise<void> => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      await clock.advanceAsync(stepMs);
      for (const { world } of members) await world.advance(stepMs);
    }
  };
  const drive = async <T>(promise: Promise<T>): Promise<T> => {
    let isSettled = false;
    const settled = (): void => {
      isSettled = true;
    };
    promise.then(settled, settled);
    for (let step = 0; step < maxSteps; step += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (isSettled) return promise;
      await pass(5);
    }
    throw new Error('what was waited for never came');
  };
  return {
    members,
    reports,
    at: (index) => members[index % members.length] as Member,
    pass,
    drive,
  };
};
