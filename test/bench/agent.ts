// The agent's footprint: its resident set when nothing happens and under fifty checks a second, its CPU time for that, and
// what holds the memory up. The backend is a fake one in this process. Run alone with `node dist/test/bench/agent.js`.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { nodeFlagsOf } from '../../src/program/node-flags.ts';
import { type FakeBackend, startBackend } from '../agent/fake-backend.ts';
import { cpuTimeUs } from './cpu-time.ts';

const settleMs = 5_000;
const loadMs = 15_000;
const checksPerSecond = 50;
const ticksPerSecond = 10;
const program = 'bin/mon-agent.js';
/** What `npm ls` shows of the agent, in the order in which the program comes by them. */
const libraries = ['zod', 'pino', 'yaml', 'commander', 'ws', 'xstate', 'lmdb'];

const residentMb = (pid: number): number => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    // No /proc on this system.
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
  }
};

const spawnAgent = (backend: FakeBackend, cacheDir: string): ChildProcess => {
  const ports = ['--api-port', '0', '--socket-port', '0', '--statsd-metrics-port', '0'];
  const flags = [...nodeFlagsOf(program), program, 'start', '--backend-url', backend.url, '--name', 'web-01'];
  return spawn(process.execPath, [...flags, '--cache-dir', cacheDir, ...ports], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
};

/** Resident set of this Node with nothing but the named libraries loaded, one after the other. */
const libraryShares = (): string => {
  const script = `
    const resident = () => process.memoryUsage().rss / 1048576;
    const shares = [['node alone', resident()]];
    let before = resident();
    for (const name of ${JSON.stringify(libraries)}) {
      await import(name);
      shares.push([name, resident() - before]);
      before = resident();
    }
    console.log(shares.map(([name, mb]) => name + ' ' + mb.toFixed(1)).join(', '));
  `;
  const flags = [...nodeFlagsOf(program), '--input-type=module', '-e', script];
  return execFileSync(process.execPath, flags, { encoding: 'utf8' }).trim();
};

const requestOf = (number: number, issued: number) => ({
  config: {
    command: 'echo "OK | used=42;80;90"',
    interval: 60,
    publish: true,
    handlers: [],
    subscriptions: ['linux'],
    output_metric_format: 'nagios_perfdata',
    metadata: { name: `check-${number}`, namespace: 'default' },
  },
  assets: [],
  hooks: [],
  issued,
});

interface Load {
  readonly highestMb: number;
  readonly asked: number;
  readonly answered: number;
}

/** So many checks a second, each under a name of its own within the second. */
const runChecks = async (backend: FakeBackend, pid: number): Promise<Load> => {
  let highestMb = 0;
  let asked = 0;
  const perTick = checksPerSecond / ticksPerSecond;
  for (let tick = 0; tick < (loadMs / 1000) * ticksPerSecond; tick += 1) {
    for (let at = 0; at < perTick; at += 1) {
      backend.send('check_request', requestOf(asked % (checksPerSecond * 4), 1_700_000_000 + tick));
      asked += 1;
    }
    await pause(1000 / ticksPerSecond);
    highestMb = Math.max(highestMb, residentMb(pid));
  }
  await pause(1_000);
  return { highestMb, asked, answered: backend.frames.filter(({ type }) => type === 'event').length };
};

const measure = async (backend: FakeBackend, pid: number): Promise<void> => {
  await backend.waitFor('keepalive', 1);
  await pause(settleMs);
  console.log(`  idle              ${residentMb(pid).toFixed(1)} MB resident`);
  const before = cpuTimeUs(pid).process;
  const { highestMb, asked, answered } = await runChecks(backend, pid);
  const cpu = (cpuTimeUs(pid).process - before) / 1e4 / (loadMs / 1000);
  console.log(
    `  ${checksPerSecond} checks/s       ${highestMb.toFixed(1)} MB at most, ${cpu.toFixed(0)} % of a core; ` +
      `${answered} of ${asked} results came`,
  );
  await pause(settleMs);
  console.log(`  idle again        ${residentMb(pid).toFixed(1)} MB`);
};

export const benchAgent = async (): Promise<void> => {
  console.log(`agent: ${nodeFlagsOf(program).join(' ')}; API, sockets, StatsD and disk queue open`);
  console.log(`  loaded, MB each   ${libraryShares()}`);
  const cacheDir = mkdtempSync(join(tmpdir(), 'mon-bench-agent-'));
  const backend = await startBackend();
  const agent = spawnAgent(backend, cacheDir);
  try {
    await measure(backend, agent.pid ?? 0);
  } finally {
    agent.kill('SIGKILL');
    await backend.stop();
    rmSync(cacheDir, { recursive: true, force: true });
  }
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchAgent();
