// The whole road beside the bare limit: events per second from a WebSocket frame to its acknowledgement after the commit,
// in turns with a bare loop (ws, JSON.parse, LMDB put, ack) on the same machine in the same minutes. The load comes from a
// process of its own. Run alone with `node dist/test/bench/road.js`.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeFlagsOf } from '../../src/program/node-flags.ts';
import { startBackend } from '../acceptance/programs.ts';
import type { LoadPlan, LoadResult } from './load.ts';

const script = (name: string): string => fileURLToPath(new URL(`./${name}.js`, import.meta.url));

const rounds = Number(process.env.MON_BENCH_ROUNDS ?? 3);
const plan: Omit<LoadPlan, 'url' | 'pid'> = {
  connections: 20,
  inFlight: 32,
  checksPerAgent: 10,
  // Long enough for the engine to have compiled the whole road also on a busy machine: 2 s of it cost 10 us an event more.
  warmUpMs: 8_000,
  runMs: 5_000,
};

const firstMessage = <T>(child: ChildProcess): Promise<T> =>
  new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as T));
    child.once('exit', (code) => reject(new Error(`${child.spawnargs.join(' ')} ended with ${code}`)));
  });

const load = async (url: string, pid: number | undefined): Promise<LoadResult> => {
  const child = fork(script('load'));
  const result = firstMessage<LoadResult>(child);
  child.send({ ...plan, url, pid: pid ?? 0 } satisfies LoadPlan);
  return result;
};

const inTempDir = async <T>(use: (dir: string) => Promise<T>): Promise<T> => {
  const dir = await mkdtemp(join(tmpdir(), 'mon-bench-'));
  try {
    return await use(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
};

const runBareLoop = (): Promise<LoadResult> =>
  inTempDir(async (dir) => {
    const child = fork(script('bare-loop'), [dir], { execArgv: [...nodeFlagsOf('bin/mon-backend.js')] });
    try {
      return await load(`ws://127.0.0.1:${await firstMessage<number>(child)}`, child.pid);
    } finally {
      child.kill('SIGKILL');
    }
  });

const runBackend = (): Promise<LoadResult> =>
  inTempDir(async (dir) => {
    const backend = await startBackend(dir, ['--log-level', 'warn', '--entity-limit', '0'], {});
    try {
      return await load(backend.agents, backend.program.process.pid);
    } finally {
      await backend.program.kill('SIGKILL');
    }
  });

const perSecond = ({ acked, seconds }: LoadResult): number => acked / seconds;

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

const line = (title: string, result: LoadResult): string =>
  `  ${title.padEnd(10)} ${perSecond(result).toFixed(0).padStart(7)} events/s   ` +
  `p50 ${result.latencyMs.p50.toFixed(1)} ms  p99 ${result.latencyMs.p99.toFixed(1)} ms   ` +
  `${result.usPerEvent.process.toFixed(1)} us CPU per event, ${result.usPerEvent.main.toFixed(1)} of it main thread` +
  (result.refused > 0 ? `  REFUSED ${result.refused}` : '');

const header = `road of an event: ${plan.connections} connections, ${plan.inFlight} events in flight each, acknowledged after the commit
  bare loop: ws, JSON.parse, LMDB put of the text as it came, acknowledgement after the synced commit; same flags of Node
  whole road: guarded parse, schema, rules, the supervised statechart of the check, its whole state with history, ids and
  checksum as one record, acknowledgement after the synced commit; load from a process of its own on the same cores`;

/** Medians of pairs in turn: what neighbours do to one, they do to the other. */
export const benchRoad = async (): Promise<void> => {
  console.log(header);
  const pairs: { readonly bare: LoadResult; readonly whole: LoadResult }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const bare = await runBareLoop();
    console.log(line('bare loop', bare));
    const whole = await runBackend();
    console.log(line('whole road', whole));
    pairs.push({ bare, whole });
  }
  const ratio = (of: (pair: (typeof pairs)[number]) => number): string => median(pairs.map(of)).toFixed(2);
  console.log(
    `  median of ${rounds}: bare loop ${median(pairs.map(({ bare }) => perSecond(bare))).toFixed(0)}/s, ` +
      `whole road ${median(pairs.map(({ whole }) => perSecond(whole))).toFixed(0)}/s; whole/bare by throughput ` +
      `${ratio(({ bare, whole }) => perSecond(whole) / perSecond(bare))}, bare/whole by CPU time ` +
      `${ratio(({ bare, whole }) => bare.usPerEvent.process / whole.usPerEvent.process)}, by main thread ` +
      `${ratio(({ bare, whole }) => bare.usPerEvent.main / whole.usPerEvent.main)}`,
  );
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchRoad();
