// The earlier generation as people run it: a backend, two clients, a broker or none; each of them killed and started again.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Redis } from 'ioredis';
import { freePort } from '../free-port.ts';
import { type Broker, redisSkipReason, startRedis } from '../wire/earlier/brokers.ts';
import { adminPassword, eventually, startBackend, startProgram, tempDir } from './programs.ts';

interface Incident {
  readonly client: { readonly name: string };
  readonly check: { readonly name: string; readonly status: number };
}

const credentials = `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`;

/** Undefined while nobody answers. */
const ask = async <T>(port: number, path: string): Promise<T | undefined> => {
  try {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: credentials } });
    return reply.ok ? ((await reply.json()) as T) : undefined;
  } catch {
    return undefined;
  }
};

/** A client whose one check, every second, ends with what the file says. */
const startClient = async (dir: string, name: string, transport: object) => {
  const status = join(dir, `${name}.status`);
  await writeFile(status, '0');
  const config = {
    ...transport,
    client: {
      name,
      address: 'a',
      subscriptions: ['web'],
      deregister: name === 'c1',
      socket: { enabled: false },
      http_socket: { enabled: false },
    },
    checks: { beat: { command: `exit $(cat ${status})`, standalone: true, interval: 1, auto_resolve: true } },
  };
  await writeFile(join(dir, `${name}.json`), JSON.stringify(config));
  const program = startProgram('mon-client', ['-c', join(dir, `${name}.json`)]);
  return { program, turn: (to: number) => writeFile(status, String(to)) };
};

const story = async (
  dir: string,
  transport: (port: number) => object,
  brokers: readonly string[],
  interrupt: (
    stopBackend: () => Promise<unknown>,
    startAgain: () => Promise<unknown>,
    port: number,
  ) => Promise<void>,
): Promise<void> => {
  const port = await freePort();
  const start = () => startBackend(join(dir, 'state'), ['--earlier-api-port', String(port), ...brokers]);
  let backend = await start();
  const incidents = async () => (await ask<Incident[]>(port, '/events')) ?? [];
  const has = (name: string, check: string, status: number) =>
    eventually(`${name}/${check} with status ${status}`, async () =>
      (await incidents()).some(
        (one) => one.client.name === name && one.check.name === check && one.check.status === status,
      ),
    );
  const names = async () => (await ask<{ name: string }[]>(port, '/clients'))?.map(({ name }) => name);
  const c1 = await startClient(dir, 'c1', transport(port));
  const c2 = await startClient(dir, 'c2', transport(port));
  try {
    await eventually('both clients', async () => (await names())?.join() === 'c1,c2');
    await c1.turn(1);
    await has('c1', 'beat', 1);
    await interrupt(
      async () => {
        await backend.program.kill('SIGKILL');
        await c2.turn(2);
      },
      async () => {
        backend = await start();
      },
      port,
    );
    await has('c2', 'beat', 2);
    await has('c1', 'beat', 1);
    assert.deepEqual(
      (await incidents()).filter(({ check }) => check.name === 'keepalive'),
      [],
    );
    await c1.turn(0);
    await c2.turn(0);
    await eventually('the end of both incidents', async () => {
      const open = await ask<Incident[]>(port, '/events');
      return open?.length === 0;
    });
    assert.equal((await c1.program.kill('SIGTERM')).code, 0);
    await eventually('the farewell', async () => (await names())?.join() === 'c2');
    assert.equal((await c2.program.kill('SIGTERM')).code, 0);
    assert.deepEqual(await names(), ['c2']);
    assert.equal((await backend.program.kill('SIGTERM')).code, 0);
  } finally {
    for (const program of [c1.program, c2.program, backend.program]) await program.kill('SIGKILL');
  }
};

test('over WebSocket: a backend that is killed and comes back finds its clients, and raises no false alarm', () =>
  tempDir((dir) =>
    story(
      dir,
      (port) => ({ transport: { name: 'websocket' }, websocket: { url: `ws://127.0.0.1:${port}` } }),
      [],
      async (stopBackend, startAgain) => {
        await stopBackend();
        await startAgain();
      },
    ),
  ));

test(
  'over Redis: the broker and the backend are killed, one after the other, and come back',
  {
    skip: redisSkipReason(),
  },
  () =>
    tempDir(async (dir) => {
      const redis: Broker = await startRedis();
      try {
        await story(
          dir,
          () => ({ transport: { name: 'redis' }, redis: redis.url }),
          ['--earlier-brokers', redis.url],
          async (stopBackend, startAgain, port) => {
            await redis.kill();
            await eventually('the loss', async () => {
              const info = await ask<{ transport: { connected: boolean } }>(port, '/info');
              return info?.transport.connected === false;
            });
            await stopBackend();
            await redis.start();
            await startAgain();
          },
        );
      } finally {
        await redis.stop();
      }
    }),
);

test(
  'over Redis: each result counts once, however often the backend is killed while it has some in hand',
  { skip: redisSkipReason() },
  () =>
    tempDir(async (dir) => {
      const redis: Broker = await startRedis();
      const port = await freePort();
      const args = ['--earlier-api-port', String(port), '--earlier-brokers', redis.url];
      const start = () => startBackend(join(dir, 'state'), args);
      const broker = new Redis(redis.url);
      let backend = await start();
      try {
        const client = { name: 'c1', address: 'a', subscriptions: ['web'], version: '1.9.0', timestamp: 1 };
        await broker.rpush('transport:0:list:keepalives', JSON.stringify(client));
        await eventually('the client', async () => (await ask(port, '/clients/c1')) !== undefined);
        const [checks, rounds] = [100, 20];
        const results = Array.from({ length: checks * rounds }, (_, at) => {
          const issued = 1_700_000_000 + Math.floor(at / checks);
          const check = { name: `n${at % checks}`, output: '', status: 2, issued, executed: issued };
          return JSON.stringify({ client: 'c1', check });
        });
        const list = 'transport:0:list:results';
        for (let kill = 0; kill < 4; kill += 1) {
          await broker.rpush(list, ...results.splice(0, (checks * rounds) / 4));
          // In the middle of them.
          await eventually('some taken', async () => (await broker.llen(list)) < (checks * rounds) / 4 - 20);
          await backend.program.kill('SIGKILL');
          backend = await start();
        }
        const left = () => broker.exists(list, `mon:${list}:in-hand`);
        await eventually('nothing left', async () => (await left()) === 0);
        const incidents = await ask<{ readonly occurrences: number }[]>(port, '/events');
        assert.deepEqual(
          incidents?.map(({ occurrences }) => occurrences),
          Array.from({ length: checks }, () => rounds),
        );
        await backend.program.kill('SIGTERM');
      } finally {
        await backend.program.kill('SIGKILL');
        broker.disconnect();
        await redis.stop();
      }
    }),
);
