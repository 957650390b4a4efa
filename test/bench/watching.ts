// What live inspection costs those who are not looked at. First: the whole road of an event in this build and in one
// without inspection, both in this process, in short turns. Then: 10,000 actors under one supervisor, one of them watched
// in every other turn. All by CPU time; many short turns, since what neighbours do to one they do to the next. Alone: node dist/test/bench/watching.js
import { fileURLToPath } from 'node:url';
import { assign, setup } from 'xstate';
import type { Behaviour } from '../../src/actors/runtime/contract.ts';
import { observe } from '../../src/actors/runtime/inspection/inspection.ts';
import { createRuntime, createSupervisor } from '../../src/actors/runtime/runtime.ts';
import { buildWithoutInspection } from './unwatched-build.ts';
import { openRoad } from './watching-road.ts';

const pairs = Number(process.env.MON_BENCH_PAIRS ?? 150);
const dist = fileURLToPath(new URL('../..', import.meta.url));

const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN;

const percent = (ratio: number): string => `${((ratio - 1) * 100).toFixed(2)} %`;

/** How much dearer the first is than the second, pair by pair; with the range the median is in with 95 % certainty. */
const compare = (what: string, found: readonly (readonly [number, number])[]): void => {
  const ratios = found.map(([a, b]) => a / b);
  const us = (at: 0 | 1): string =>
    quantile(
      found.map((pair) => pair[at]),
      0.5,
    ).toFixed(2);
  const reach = 0.98 / Math.sqrt(found.length);
  console.log(
    `  ${what}: ${us(0)} us against ${us(1)} us CPU, median of ${found.length} pairs ${percent(quantile(ratios, 0.5))}` +
      ` (with 95 % certainty between ${percent(quantile(ratios, 0.5 - reach))} and ${percent(quantile(ratios, 0.5 + reach))})`,
  );
};

const eventsPerTurn = 2_000;
const warmUpTurns = 12;

const benchRoads = async (): Promise<void> => {
  const without = buildWithoutInspection();
  const roads = [await openRoad(dist), await openRoad(without.root)] as const;
  try {
    const found: [number, number][] = [];
    for (let turn = 0; turn < warmUpTurns + pairs; turn += 1) {
      // Who goes first changes: a collection that one has caused may come in the turn of the other.
      const first = (turn % 2) as 0 | 1;
      const us: [number, number] = [0, 0];
      us[first] = await roads[first].run(eventsPerTurn);
      us[first === 0 ? 1 : 0] = await roads[first === 0 ? 1 : 0].run(eventsPerTurn);
      if (turn >= warmUpTurns) found.push(us);
    }
    compare('nobody watches, against a build without inspection', found);
  } finally {
    for (const road of roads) await road.stop();
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
const messagesPerRound = 50_000;
const rounds = 60;

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
    const leave = observe(runtime, 'child:0', () => {});
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
