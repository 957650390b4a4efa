// Two backends on one MongoDB database: the second stands by, says who serves, and takes over when the first one ends. A
// real agent that knows both follows; what was acknowledged, logins and definitions are there.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { startFastMongodb } from '../store/mongodb-server.ts';
import { startRelay } from '../store/relay.ts';
import { ApiClient, eventually, inDefault, startAgent, tempDir } from './programs.ts';
import { ended, memberOf, shareKey, startFirst, startSecond } from './standby-members.ts';

const server = await startFastMongodb();
after(() => server.stop());

const storeUrl = (name: string): string => `${server.url}/mon_standby_${process.pid}_${name}`;

interface Event {
  readonly check: { readonly executed: number; readonly status: number };
}

describe('a second backend on the MongoDB database of one that serves', () => {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    it(`takes over after ${signal}, with the agents, the events and the logins of the first`, async (t) => {
      await tempDir(async (dir) => {
        const url = storeUrl(signal.toLowerCase());
        const [first, second] = [await memberOf(dir, 'first', url), await memberOf(dir, 'second', url)];
        const serving = await startFirst(t, first);
        await shareKey(first, second);
        const standby = startSecond(t, second);
        await standby.line('on standby');

        const ready = await fetch(`${second.api}/ready`);
        assert.equal(ready.status, 503);
        assert.ok(ready.headers.get('retry-after'));
        const text = await ready.text();
        assert.match(text, /^standby: the backend at /);
        assert.ok(text.includes(first.api) && text.includes(`pid ${serving.process.pid} `), text);
        const refused = await fetch(`${second.api}${inDefault('events')}`, { method: 'POST', body: '{}' });
        assert.equal(refused.status, 503);
        assert.match(((await refused.json()) as { message: string }).message, /^on standby: the backend at /);
        assert.equal((await fetch(`${second.api}/health`)).status, 200);

        const agent = ended(
          t,
          startAgent(first, dir, ['--backend-url', second.agents, '--name', 'a1', '--subscriptions', 'all']),
        );
        const api = await ApiClient.login(first.api);
        await api.post(inDefault('checks'), {
          metadata: { name: 'failing', namespace: 'default' },
          command: 'exit 2',
          interval: 1,
          publish: true,
          subscriptions: ['all'],
        });
        const eventAt = (at: string): Promise<Event | undefined> =>
          api
            .at(at)
            .call('GET', inDefault('events/a1/failing'))
            .then(
              async (response) => (response.ok ? ((await response.json()) as Event) : undefined),
              () => undefined,
            );
        const before = await eventually('an event', () => eventAt(first.api));
        await serving.kill(signal);
        await standby.line('backend is running and ready to accept events');
        assert.equal((await fetch(`${second.api}/ready`)).status, 200);
        const kept = await eventAt(second.api);
        assert.ok(kept !== undefined && kept.check.executed >= before.check.executed);
        // The agent found the second by its own list, and the schedule goes on there.
        await eventually('a later event', async () => {
          const now = await eventAt(second.api);
          return now !== undefined && now.check.executed > kept.check.executed;
        });
        await agent.kill();

        // The first one comes back as the standby of the second.
        const back = startSecond(t, first);
        await back.line('on standby');
        assert.ok((await (await fetch(`${first.api}/ready`)).text()).includes(second.api));
        assert.equal((await back.kill('SIGTERM')).code, 0);
        assert.equal((await fetch(`${second.api}/ready`)).status, 200);
      });
    });
  }

  it('refuses to stand by without the encryption key of the one that serves', async (t) => {
    await tempDir(async (dir) => {
      const url = storeUrl('key');
      const [first, second] = [await memberOf(dir, 'first', url), await memberOf(dir, 'second', url)];
      await startFirst(t, first);
      const without = startSecond(t, second);
      assert.equal((await without.exited).code, 1);
      assert.match(JSON.stringify(without.lines), /needs the encryption key .*does not exist: copy the file/);
      await writeFile(join(second.stateDir, 'encryption-key'), `${Buffer.alloc(32, 1).toString('base64')}\n`);
      const other = startSecond(t, second);
      assert.equal((await other.exited).code, 1);
      assert.match(JSON.stringify(other.lines), /does not contain it/);
    });
  });

  it('goes on standing by while the database does not respond', async (t) => {
    await tempDir(async (dir) => {
      const relay = await startRelay(Number(new URL(server.url).port));
      t.after(() => relay.close());
      const url = storeUrl('outage');
      const first = await memberOf(dir, 'first', url);
      const name = new URL(url).pathname;
      const cut = `mongodb://127.0.0.1:${relay.port}${name}?directConnection=true&serverSelectionTimeoutMS=500`;
      const second = await memberOf(dir, 'second', cut);
      const serving = await startFirst(t, first);
      await shareKey(first, second);
      const standby = startSecond(t, second);
      await standby.line('on standby');
      relay.cut();
      await standby.line('the database does not respond; retrying');
      assert.equal((await fetch(`${second.api}/ready`)).status, 503);
      await serving.kill('SIGKILL');
      relay.mend();
      await standby.line('backend is running and ready to accept events');
    });
  });
});
