// A simulated day of a whole site, as a program: 1,000 agents with 10 checks each, deaths and returns at random. Prints
// what happened and what was wrong as one line of JSON. A program of its own because it wants a larger nursery than a
// test file gets: almost everything it makes is garbage a second later.
import { contextOf } from '../../../src/actors/runtime/inspection/snapshot.ts';
import type { CheckContext } from '../../../src/machines/check/check-facts.ts';
import type { Agent } from './agent.ts';
import { ReferenceStore } from './reference-store.ts';
import { recorder, startMs, World } from './world.ts';

const agentCount = 1_000;
const checkCount = 10;
const minuteMs = 60_000;
const hours = Number(process.argv[2] ?? 24);
const seed = Number(process.argv[3] ?? 1);
const checkMinutes = 60;
const keepaliveMinutes = 10;
const warningMinutes = 25;
const deaths = Math.round(hours * 12);

export interface DayReport {
  readonly seed: number;
  readonly elapsedMs: number;
  readonly ticks: number;
  readonly runs: number;
  readonly keepalives: number;
  readonly messages: number;
  readonly deaths: number;
  readonly returns: number;
  /** What must be empty, each entry a sentence. */
  readonly skipped: string[];
  readonly doubled: string[];
  readonly misreported: string[];
  readonly refused: string[];
}

interface Lived {
  /** Last tick of each check this agent was asked for, while it was connected without a break. */
  readonly lastTickMs: Map<string, number>;
  died: number;
  returned: number;
  alarms: number;
  recoveries: number;
}

const main = async (): Promise<DayReport> => {
  const skipped: string[] = [];
  const doubled: string[] = [];
  const misreported: string[] = [];
  const lives = new Map<string, Lived>();
  const startedMs = performance.now();
  const world = await World.open({
    seed,
    store: () => new ReferenceStore(),
    // Only news is kept: the first of every alarm, and recoveries.
    records: ({ check }) =>
      (check?.status ?? 0) > 0 ? check?.occurrences === 1 : check?.history?.at(-2)?.status === 1,
  });
  const { random } = world;
  let runs = 0;

  const onRequest = (agent: Agent, check: string, atMs: number): void => {
    const life = lives.get(agent.name);
    const last = life?.lastTickMs.get(check);
    life?.lastTickMs.set(check, atMs);
    runs += 1;
    if (last === undefined) return;
    const gapMs = atMs - last;
    const what = `${agent.name} ${check} after ${gapMs / 1000} s`;
    if (gapMs < checkMinutes * minuteMs) doubled.push(what);
    if (gapMs > checkMinutes * minuteMs) skipped.push(what);
  };

  for (let index = 0; index < agentCount; index += 1) {
    const name = `host-${index}`;
    lives.set(name, { lastTickMs: new Map(), died: 0, returned: 0, alarms: 0, recoveries: 0 });
    const agent = await world.agent(name, {
      keepaliveSeconds: keepaliveMinutes * 60,
      warningSeconds: warningMinutes * 60,
      offsetMs: 1_000 + Math.floor(random() * keepaliveMinutes * 60) * 1_000,
      onRequest,
    });
    agent.remembers = false;
  }
  await world.define('handlers', 'record', recorder);
  for (let index = 0; index < checkCount; index += 1) {
    // Half of the checks have somebody to tell; one promises to report within a time longer than any absence.
    await world.check(`check-${index}`, {
      interval: checkMinutes * 60,
      ttl: index === 0 ? checkMinutes * 60 * 10 : 0,
      handlers: index % 2 === 0 ? ['record'] : [],
    });
  }

  /** Dies for long enough to be missed, after it has been there for a while; comes back unless the day is over. */
  const plan = (agent: Agent): void => {
    const dieAfterMs = Math.floor((0.05 + random() * 0.7) * hours * 3_600) * 1_000;
    const awayMs = Math.floor((warningMinutes + 1 + random() * 120) * 60) * 1_000;
    const life = lives.get(agent.name);
    if (life === undefined) return;
    world.clock.setTimer(() => {
      agent.die();
      life.died += 1;
      life.lastTickMs.clear();
      world.clock.setTimer(() => {
        agent.revive();
        life.returned += 1;
      }, awayMs);
    }, dieAfterMs);
  };
  for (let index = 0; index < deaths; index += 1) {
    const agent = world.agents[(index * 7_919) % agentCount];
    if (agent !== undefined) plan(agent);
  }

  await world.advance(hours * 3_600_000);

  for (const { entity, check, status, event } of world.told) {
    const life = lives.get(entity);
    if (check === 'keepalive' && life !== undefined) {
      if (status > 0) life.alarms += 1;
      else life.recoveries += 1;
    } else if (check !== 'registration') misreported.push(`${entity} ${check}: ${event.check?.output}`);
  }
  for (const [name, { died, returned, alarms, recoveries, lastTickMs }] of lives) {
    if (alarms !== died) misreported.push(`${name} died ${died} times, ${alarms} alarms`);
    if (recoveries !== returned)
      misreported.push(`${name} came back ${returned} times, ${recoveries} recoveries`);
    for (const [check, atMs] of lastTickMs) {
      if (world.nowMs - atMs >= checkMinutes * minuteMs)
        skipped.push(`${name} ${check} not since ${atMs - startMs}`);
    }
  }
  // Every result that an agent reported was counted by its check, once: all are OK, so occurrences count them.
  for (const agent of world.agents) {
    for (let index = 0; index < checkCount; index += 1) {
      const check = `check-${index}`;
      const snapshot = world.backend.runtime.registry.peek(`check:default/${agent.name}/${check}`);
      const counted =
        snapshot === undefined ? 0 : (contextOf<CheckContext>(snapshot).event?.check.occurrences ?? 0);
      const ran = agent.runsOf(check);
      if (counted < ran) skipped.push(`${agent.name} ${check}: ran ${ran} times, counted ${counted}`);
      if (counted > ran) doubled.push(`${agent.name} ${check}: ran ${ran} times, counted ${counted}`);
    }
  }
  const messages = world.backend.runtime.queue.handled;
  const report: DayReport = {
    seed,
    elapsedMs: Math.round(performance.now() - startedMs),
    ticks: checkCount * ((hours * 60) / checkMinutes),
    runs,
    keepalives: agentCount * ((hours * 60) / keepaliveMinutes),
    messages,
    deaths: [...lives.values()].reduce((sum, { died }) => sum + died, 0),
    returns: [...lives.values()].reduce((sum, { returned }) => sum + returned, 0),
    skipped,
    doubled,
    misreported,
    refused: world.agents.flatMap(({ refusals }) => refusals),
  };
  await world.stop();
  return report;
};

const report = await main();
console.log(JSON.stringify(report));
