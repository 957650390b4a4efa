// Backends of one MongoDB database, on ports that they keep: one serves, the others stand by.
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { freePort } from '../free-port.ts';
import { adminPassword, type Program, startBackend, startProgram } from './programs.ts';

export interface Member {
  readonly args: readonly string[];
  readonly api: string;
  readonly agents: string;
  readonly stateDir: string;
  readonly env?: Record<string, string>;
}

export const memberOf = async (dir: string, name: string, url: string): Promise<Member> => {
  const [api, agents] = await Promise.all([freePort(), freePort()]);
  const stateDir = join(dir, name);
  await mkdir(stateDir, { recursive: true });
  const own = ['--api-listen-address', `127.0.0.1:${api}`, '--agent-port', String(agents)];
  return {
    args: [...own, '--store-url', url],
    api: `http://127.0.0.1:${api}`,
    agents: `ws://127.0.0.1:${agents}`,
    stateDir,
  };
};

export const ended = (t: TestContext, program: Program): Program => {
  t.after(() => program.kill('SIGKILL'));
  return program;
};

/** As `startBackend`, for one that is not expected to serve. */
export const startSecond = (t: TestContext, { args, stateDir, env }: Member): Program =>
  ended(
    t,
    startProgram('mon-backend', ['start', '--state-dir', stateDir, '--agent-host', '127.0.0.1', ...args], {
      MON_BACKEND_CLUSTER_ADMIN_PASSWORD: adminPassword,
      ...env,
    }),
  );

export const shareKey = (from: Member, to: Member): Promise<void> =>
  copyFile(join(from.stateDir, 'encryption-key'), join(to.stateDir, 'encryption-key'));

export const startFirst = async (t: TestContext, member: Member): Promise<Program> => {
  const { program } = await startBackend(member.stateDir, member.args, member.env);
  return ended(t, program);
};
