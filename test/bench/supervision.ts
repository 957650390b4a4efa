// What supervision costs: 20,000 dynamic children started, crashed and stopped; messages through tell to a machine.
// Alone: node --expose-gc dist/test/bench/supervision.js
import { pathToFileURL } from 'node:url';
import { assign, emit, setup } from 'xstate';
import type { Behaviour } from '../../src/actors/runtime/contract.ts';
import { createRuntime, createSupervisor, type Runtime } from '../../src/actors/runtime/runtime.ts';

const childCount = 20_000;
const crashCount = 1_000;
const messageCount = 400_000;
const messageActors = 1_000;
/** Messages under way at once, as a busy edge would have them. */
const burst = 2_000;

const trivialMachine = setup({
  types: {
    context: {} as { readonly count: number },
    events: {} as { type: 'count' } | { type: 'note' } | { type: 'boom' },
    emitted: {} as { type: 'noted' },
  },
  actions: {
    add: assign({ count: ({ context }) => context.count + 1 }),
    note: emit({ type: 'noted' }),
    throwError: () => {
      throw new Error('boom');
    },
  },
}).createMachine({
  id: 'trivial',
  context: { count: 0 },
  on: { count: { actions: 'add' }, note: { actions: 'note' }, boom: { actions: 'throwError' } },
});

const behaviour: Behaviour = {
  machine: trivialMachine,
  mailbox: { capacity: 100_000, overflow: 'refuse' },
  begin: () => ({ input: undefined }),
  perform: (_effect, actor) => actor.holdReceipt()({ type: 'done' }),
};

const heapMb = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1e6;
};

const print = (what: string, figure: string): void => console.log(`${what.padEnd(72)}${figure}`);
const since = (startedMs: number): string => `${(performance.now() - startedMs).toFixed(0)} ms`;
/** Time this process spent on a core, in microseconds: a machine shared with others does not blur it. */
const cpuUs = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const benchChildren = async (): Promise<void> => {
  const runtime = createRuntime();
  const root = createSupervisor(runtime, { id: 'bench', strategy: 'one_for_one', whenFailing: 'quarantine' });
  const ids = Array.from({ length: childCount }, (_, index) => `child:${index}`);
  const emptyMb = heapMb();
  let startedMs = performance.now();
  for (const id of ids) root.startChild({ id, restart: 'permanent', behaviour });
  print(`${childCount} children started`, since(startedMs));
  print('heap per child', `${(((heapMb() - emptyMb) * 1e6) / childCount).toFixed(0)} bytes`);
  startedMs = performance.now();
  const step = Math.floor(childCount / crashCount);
  for (let index = 0; index < childCount; index += step)
    runtime.registry.tell(`child:${index}`, { type: 'boom' });
  while (root.counts().backingOff < crashCount) await turn();
  print(`${crashCount} crashes handled, restarts scheduled`, since(startedMs));
  while (root.counts().up < childCount) await new Promise((resolve) => setTimeout(resolve, 50));
  print('all back up, back-off of 1.0-1.2 s included', since(startedMs));
  startedMs = performance.now();
  await root.stop();
  print(`${childCount} children stopped`, since(startedMs));
  print('heap afterwards, against before', `${(heapMb() - emptyMb).toFixed(2)} MB`);
  runtime.close();
};

/** Rounds of `burst` messages over all actors, each round awaited by its receipts. */
const sendAll = (runtime: Runtime, type: string): Promise<number> => {
  const startedUs = cpuUs();
  let sent = 0;
  let open = 0;
  return new Promise((resolve) => {
    const receipt = (): void => {
      open -= 1;
      if (open === 0) next();
    };
    const next = (): void => {
      if (sent >= messageCount) {
        resolve((cpuUs() - startedUs) / messageCount);
        return;
      }
      open = burst;
      for (let count = 0; count < burst; count += 1, sent += 1) {
        runtime.registry.tell(`child:${sent % messageActors}`, { type }, receipt);
      }
    };
    next();
  });
};

/** The same transitions without the runtime: what is left is what the runtime adds. */
const bareUs = async (type: 'count' | 'note'): Promise<number> => {
  const { createActor } = await import('xstate');
  const actors = Array.from({ length: messageActors }, () => createActor(trivialMachine).start());
  const startedUs = cpuUs();
  for (let sent = 0; sent < messageCount; sent += 1) actors[sent % messageActors]?.send({ type });
  return (cpuUs() - startedUs) / messageCount;
};

const benchMessages = async (): Promise<void> => {
  const runtime = createRuntime();
  const root = createSupervisor(runtime, { id: 'bench', strategy: 'one_for_one', whenFailing: 'quarantine' });
  for (let index = 0; index < messageActors; index += 1) {
    root.startChild({ id: `child:${index}`, restart: 'permanent', behaviour });
  }
  for (const [type, what] of [
    ['count', 'no effect'],
    ['note', 'one effect that holds the receipt'],
  ] as const) {
    await sendAll(runtime, type);
    await bareUs(type);
    const us = await sendAll(runtime, type);
    const bare = await bareUs(type);
    print(
      `messages per second of one core, ${what}`,
      `${Math.round(1e6 / us)} (${us.toFixed(2)} us, machine alone ${bare.toFixed(2)} us)`,
    );
  }
  await root.stop();
  runtime.close();
};

/** Prints figures; takes about ten seconds. */
export async function benchSupervision(): Promise<void> {
  await benchChildren();
  await benchMessages();
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  await benchSupervision();
