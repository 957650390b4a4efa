// mon-ctl: how long a start takes, beside a bare `node` in turns, and what 2,000 resources cost that `create -f` writes. CPU time of the
// process, for neighbours on a shared machine move it least. Run alone with `npm run bench -- mon-ctl`.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adminPassword, startBackend } from '../acceptance/programs.ts';
import { cpuTimeUs } from './cpu-time.ts';

const rounds = Number(process.env.MON_BENCH_CTL_ROUNDS ?? 15);
const resources = Number(process.env.MON_BENCH_CTL_RESOURCES ?? 2_000);

interface Run {
  readonly cpuMs: number;
  readonly wallMs: number;
}

/** The process says at its end what it took. */
const meter = `process.on('exit', () => { const { user, system } = process.cpuUsage(); require('node:fs').writeSync(3, String(user + system)); });`;

const run = (args: readonly string[], env: Readonly<Record<string, string>>, folder: string): Promise<Run> =>
  new Promise((resolve, reject) => {
    const startMs = performance.now();
    const child = spawn(process.execPath, ['--require', join(folder, 'meter.cjs'), ...args], {
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    });
    let told = '';
    let errors = '';
    child.stdio[3]?.on('data', (part: Buffer) => {
      told += part;
    });
    child.stderr?.on('data', (part: Buffer) => {
      errors += part;
    });
    child.once('close', (code) => {
      if (code !== 0) reject(new Error(`${args.join(' ')} ended with ${code}: ${errors}`));
      else resolve({ cpuMs: Number(told) / 1000, wallMs: performance.now() - startMs });
    });
  });

const median = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
const least = (values: readonly number[]): number => Math.min(...values);

const check = (index: number): string =>
  `type: CheckConfig\napi_version: core/v2\nmetadata: {name: check-${index}}\nspec:\n  command: check-disk.sh -w ${index % 100}\n  interval: 60\n  subscriptions: [none]\n  publish: false\n`;

export const benchCtl = async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'mon-bench-ctl-'));
  const backend = await startBackend(join(folder, 'state'));
  try {
    await writeFile(join(folder, 'meter.cjs'), meter);
    const env = { MON_CONFIG_DIR: join(folder, 'config') };
    const ctl = 'bin/mon-ctl.js';
    await run(
      [ctl, 'configure', '-n', '--url', backend.api, '--username', 'admin', '--password', adminPassword],
      env,
      folder,
    );
    const lines: Readonly<Record<string, readonly string[]>> = {
      'node, nothing else': ['--eval', '0'],
      'mon-ctl version': [ctl, 'version'],
      'mon-ctl event list': [ctl, 'event', 'list'],
    };
    const runs = new Map<string, Run[]>(Object.keys(lines).map((name) => [name, []]));
    for (let round = 0; round < rounds; round += 1)
      for (const [name, args] of Object.entries(lines)) runs.get(name)?.push(await run(args, env, folder));
    for (const [name, all] of runs) {
      const [cpu, wall] = [all.map(({ cpuMs }) => cpuMs), all.map(({ wallMs }) => wallMs)];
      console.log(
        `${name}: CPU ${least(cpu).toFixed(0)} ms at least, ${median(cpu).toFixed(0)} ms in the middle; by the clock ${least(wall).toFixed(0)} and ${median(wall).toFixed(0)} ms`,
      );
    }
    await writeFile(
      join(folder, 'all.yaml'),
      Array.from({ length: resources }, (_, index) => check(index)).join('---\n'),
    );
    const pid = backend.program.process.pid ?? 0;
    const before = cpuTimeUs(pid).process;
    const created = await run([ctl, 'create', '-f', join(folder, 'all.yaml')], env, folder);
    const served = (cpuTimeUs(pid).process - before) / 1000;
    console.log(
      `create -f of ${resources} checks: ${(created.wallMs / 1000).toFixed(1)} s by the clock; CPU ${(created.cpuMs / 1000).toFixed(1)} s here, ${(served / 1000).toFixed(1)} s in the backend`,
    );
  } finally {
    await backend.program.kill();
    await rm(folder, { recursive: true, force: true });
  }
};
