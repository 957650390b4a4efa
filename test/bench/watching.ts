// What live inspection costs those who are not looked at. First: the whole road of an event in this build and in one
// without inspection, in turns, each run a process of its own. Then: 10,000 actors under one supervisor, one of them
// watched in every other round. All by CPU time. Alone: node dist/test/bench/watching.js
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assign, setup } from 'xstate';
import type { Behaviour } from '../../src/actors/runtime/contract.ts';
import { createRuntime, createSupervisor } from '../../src/actors/runtime/runtime.ts';
import { nodeFlagsOf } from '../../src/program/node-flags.ts';
import { buildWithoutInspection } from './unwatched-build.ts';

const pairs = Number(process.env.MON_BENCH_PAIRS ?? 9);
const dist = fileURLToPath(new URL('../..', import.meta.url));

const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN;

const percent = (ratio: number): string => `${((ratio - 1) * 100).toFixed(2)} %`;

/** How much dearer the first is than the second, pair by pair. */
const compare = (what: string, found: readonly (readonly [number, number])[]): void => {
  const ratios = found.map(([a, b]) => a / b);
  const us = (at: 0 | 1): string =>
    quantile(
      found.map((pair) => pair[at]),
      0.5,
    ).toFixed(2);
  console.log(
    `  ${what}: ${us(0)} us against ${us(1)} us CPU, median of ${found.length} pairs ${percent(quantile(ratios, 0.5))}` +
      ` (half of them between ${percent(quantile(ratios, 0.25))} and ${percent(quantile(ratios, 0.75))})`,
  );
};

const roadIn = (root: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const flags = nodeFlagsOf('bin/mon-backend.js');
    const child = fork(join(root, 'test/bench/watching-load.js'), { execArgv: [...flags] });
    child.once('message', (us) => resolve(us as number));
    child.once('exit', (code) => reject(new Error(`a run ended with ${code}`)));
  });

const benchRoads = async (): Promise<void> => {
  const without = buildWithoutInspection();
  try {
    const found: [number, number][] = [];
    for (let pair = 0; pair < pairs; pair += 1) {
      // Who goes first changes: the second of a pair finds a warmer or a busier machine.
      const [here, there] = [() => roadIn(dist), () => roadIn(without.root)];
      if (pair % 2 === 0) found.push([await here(), await there()]);
      else {
        const second = await there();
        found.push([await here(), second]);
      }
    }
    compare('nobody watches, against a build without inspection', found);
  } finally {
    without.remove();
  }
};

const machine = setup({
  types: { context: {} as { readonly count: number }, events: {} as { type: 'count' } },
  actions: { add: assign({ count: ({ context }) => context.count + 1 }) },
}).createMachine({ id: 'counter', context: { count: 0 }, on: { count: { actions: 'add' } } });

const behaviour: Behaviour = {
  machine,
  mailbox: { capacity: 10, overflow: 'refuse' },
  begin: () => ({ input: undefined }),
  perform: () => {},
};

const siblings = 10_000;
const messagesPerRound = 100_000;
const rounds = 30;

const benchSiblings = async (): Promise<void> => {
  const runtime = createRuntime();
  const root = createSupervisor(runtime, { id: 'bench', strategy: 'one_for_one', whenFailing: 'quarantine' });
  for (let index = 0; index < siblings; index += 1)
    root.startChild({ id: `child:${index}`, restart: 'permanent', behaviour });
  /** To all but the first, microseconds of CPU per message. */
  const round = async (): Promise<number> => {
    const started = process.cpuUsage();
    for (let sent = 0; sent < messagesPerRound; ) {
      for (let burst = 0; burst < 1_000; burst += 1, sent += 1)
        runtime.registry.tell(`child:${1 + (sent % (siblings - 1))}`, { type: 'count' });
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { user, system } = process.cpuUsage(started);
    return (user + system) / messagesPerRound;
  };
  for (let warm = 0; warm < 10; warm += 1) await round();
  const found: [number, number][] = [];
  for (let pair = 0; pair < rounds; pair += 1) {
    const leave = runtime.observe('child:0', () => {});
    runtime.registry.tell('child:0', { type: 'count' });
    const watched = await round();
    leave?.();
    found.push([watched, await round()]);
  }
  compare(`one of ${siblings} is watched, the others' messages`, found);
  await root.stop();
  runtime.close();
};

export const benchWatching = async (): Promise<void> => {
  await benchRoads();
  await benchSiblings();
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchWatching();
