// mon-ctl as a process, in a folder of its own, against a backend of this test.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { adminPassword, startBackend } from '../acceptance/programs.ts';
import { openRealHouse, realAdmin, realPassword } from '../http/real-house.ts';

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeFlags?: readonly string[];
}

export const runCtl = (args: readonly string[], options: RunOptions = {}): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...(options.nodeFlags ?? []), 'bin/mon-ctl.js', ...args], {
      env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', TZ: 'UTC', ...options.env },
      stdio: 'pipe',
    });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out, err }));
    // A program that ended before it read everything closes the pipe.
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
  });

export const tempFolder = async (t: TestContext): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), 'mon-ctl-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
};

export const signInFlags = (
  url: string,
  username: string = realAdmin,
  password: string = realPassword,
): readonly string[] => ['-n', '--url', url, '--username', username, '--password', password];

/** mon-ctl that goes on until it is ended. */
export const startCtl = (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): {
  readonly output: () => string;
  readonly until: (pattern: RegExp) => Promise<void>;
  readonly end: () => Promise<number | null>;
} => {
  const child = spawn(process.execPath, ['bin/mon-ctl.js', ...args], {
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', TZ: 'UTC', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const looks = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      for (const look of looks) look();
    });
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    output: () => text,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!pattern.test(text)) return;
          looks.delete(look);
          resolve();
        };
        looks.add(look);
        look();
        exited.then((code) => reject(new Error(`mon-ctl ${args.join(' ')} ended with ${code}: ${text}`)));
      }),
    end: () => {
      child.kill('SIGINT');
      return exited;
    },
  };
};

/** A backend as a process of its own, and mon-ctl logged in to it. */
export const openProcess = async (
  t: TestContext,
  args: readonly string[] = [],
): Promise<{
  readonly dir: string;
  readonly url: string;
  readonly agents: string;
  readonly folder: string;
}> => {
  const folder = await mkdtemp(join(tmpdir(), 'mon-ctl-'));
  const backend = await startBackend(join(folder, 'state'), args);
  t.after(async () => {
    await backend.program.kill();
    await rm(folder, { recursive: true, force: true });
  });
  const dir = join(folder, 'config');
  const ran = await runCtl(['configure', ...signInFlags(backend.api, 'admin', adminPassword)], {
    env: { MON_CONFIG_DIR: dir },
  });
  if (ran.code !== 0) throw new Error(`mon-ctl configure ended with ${ran.code}: ${ran.err}${ran.out}`);
  return { dir, url: backend.api, agents: backend.agents, folder };
};

/** A backend, and mon-ctl logged in to it. `ok` fails the test unless the command succeeds, and gives its output. */
export const openCtl = async (t: TestContext) => {
  const house = await openRealHouse(t);
  const dir = await tempFolder(t);
  const run = (args: readonly string[], options: RunOptions = {}): Promise<Ran> =>
    runCtl(args, { ...options, env: { MON_CONFIG_DIR: dir, ...options.env } });
  const ok = async (...args: string[]): Promise<string> => {
    const ran = await run(args);
    if (ran.code !== 0)
      throw new Error(`mon-ctl ${args.join(' ')} ended with ${ran.code}: ${ran.err}${ran.out}`);
    return ran.out;
  };
  await ok('configure', ...signInFlags(house.url));
  return { house, dir, run, ok, url: house.url };
};
