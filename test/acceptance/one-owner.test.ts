// One backend at a time serves a MongoDB database: a command that needs it is refused and names the owner, which goes on
// undisturbed. After the owner has ended, cleanly or by SIGKILL, the next backend starts on what it left.
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { startFastMongodb } from '../store/mongodb-server.ts';
import { ApiClient, inDefault, type Program, startBackend, startProgram, tempDir } from './programs.ts';

const server = await startFastMongodb();
after(() => server.stop());

const storeUrl = (name: string): string => `${server.url}/mon_one_owner_${process.pid}_${name}`;

const outcome = async (program: Program): Promise<{ code: number | null; said: string }> => {
  const { code } = await program.exited;
  return { code, said: program.lines.map((line) => JSON.stringify(line)).join('\n') };
};

const postEvent = (api: ApiClient): Promise<void> =>
  api.post(inDefault('events'), {
    entity: { entity_class: 'proxy', metadata: { name: 'router', namespace: 'default' } },
    check: { metadata: { name: 'uplink', namespace: 'default' }, interval: 10, status: 1, output: 'down' },
  });

const nameOwner = ({ pid }: ChildProcess): RegExp =>
  new RegExp(`is in use by another backend \\(pid ${pid} on `);

describe('the MongoDB database of a running backend', () => {
  it('is refused to init, which names the owner', async () => {
    await tempDir(async (dir) => {
      const url = storeUrl('refused');
      const first = await startBackend(join(dir, 'first'), ['--store-url', url]);
      try {
        const init = await outcome(
          startProgram('mon-backend', ['init', '--state-dir', join(dir, 'third'), '--store-url', url]),
        );
        assert.equal(init.code, 1, init.said);
        assert.match(init.said, nameOwner(first.program.process));
        await postEvent(await ApiClient.login(first.api));
      } finally {
        await first.program.kill('SIGKILL');
      }
    });
  });

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    it(`goes to the next one as the first left it when that ended by ${signal}`, async () => {
      await tempDir(async (dir) => {
        const url = storeUrl(signal.toLowerCase());
        const stateDir = join(dir, 'state');
        const first = await startBackend(stateDir, ['--store-url', url]);
        await postEvent(await ApiClient.login(first.api));
        await first.program.kill(signal);
        const next = await startBackend(stateDir, ['--store-url', url]);
        try {
          const events = await (await ApiClient.login(next.api)).get<unknown[]>(inDefault('events'));
          assert.equal(events.length, 1);
        } finally {
          await next.program.kill('SIGKILL');
        }
      });
    });
  }

  it('is left at once by an owner that was stopped for so long that another took over', async () => {
    await tempDir(async (dir) => {
      const url = storeUrl('paused');
      const first = await startBackend(join(dir, 'first'), ['--store-url', url]);
      first.program.process.kill('SIGSTOP');
      const second = await startBackend(join(dir, 'first'), ['--store-url', url]);
      try {
        first.program.process.kill('SIGCONT');
        const { code, said } = await outcome(first.program);
        assert.equal(code, 70, said);
        assert.match(said, /another backend took over the store/);
        await postEvent(await ApiClient.login(second.api));
      } finally {
        await first.program.kill('SIGKILL');
        await second.program.kill('SIGKILL');
      }
    });
  });
});
