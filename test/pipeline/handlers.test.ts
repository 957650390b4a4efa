import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { CommandHelper } from '../../src/pipeline/commands/command-helper.ts';
import type { CommandRunner } from '../../src/pipeline/commands/protocol.ts';
import { directRunner, runCommand } from '../../src/pipeline/commands/run-command.ts';
import { scrubber } from '../../src/pipeline/environment.ts';
import { pipeHandler } from '../../src/pipeline/handlers/pipe-handler.ts';
import { tcpHandler } from '../../src/pipeline/handlers/tcp-handler.ts';
import { udpHandler } from '../../src/pipeline/handlers/udp-handler.ts';
import { maxDatagramBytes, maxHandlerOutputBytes } from '../../src/pipeline/limits.ts';
import { eventually } from '../eventually.ts';
import { isAlive } from '../is-alive.ts';
import { handler } from './fixtures.ts';

const directory = mkdtempSync(join(tmpdir(), 'pipeline-test-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const environment = { env: { PATH: process.env['PATH'] ?? '' }, scrub: (text: string) => text };

const helper = new CommandHelper();
after(() => helper.close());

const pipeWith =
  (runner: CommandRunner) =>
  (command: string, data = '{}', fields: object = {}, signal?: AbortSignal) =>
    pipeHandler({
      handler: handler('h', { type: 'pipe', command, ...fields }),
      data,
      environment: async () => environment,
      commands: runner,
      signal,
    });

const runners: readonly (readonly [name: string, runner: CommandRunner])[] = [
  ['in this process', directRunner],
  ['through the helper process', helper],
];
for (const [where, runner] of runners)
  describe(`the pipe handler, ${where}`, () => {
    const pipe = pipeWith(runner);
    const file = (name: string): string => join(directory, `${name}-${where.replaceAll(' ', '-')}`);

    it('gives the event to the command and takes both its outputs, in order', async () => {
      const result = await pipe('cat; echo; echo err >&2; echo out', '{"a":1}');
      assert.deepEqual(result, {
        outcome: 'handled',
        why: 'exit status 0',
        status: 0,
        output: '{"a":1}\nerr\nout\n',
      });
    });

    it('has failed when the status is not zero', async () => {
      const result = await pipe('echo no; exit 7');
      assert.deepEqual(
        [result.outcome, result.status, result.output, result.retry],
        ['failed', 7, 'no\n', undefined],
      );
    });

    it('reports a command that is not there, or a signal, as the shell does', async () => {
      assert.equal((await pipe('no-such-command-at-all')).status, 127);
      assert.equal((await pipe('kill -TERM $$')).status, 143);
    });

    it('does not mind a command that ignores its input, however large', async () => {
      const result = await pipe('exec 0<&-; echo fine', 'x'.repeat(4_000_000));
      assert.deepEqual([result.outcome, result.output], ['handled', 'fine\n']);
    });

    it('kills the whole process group when time is up', async () => {
      const pids = file('pids');
      const command = `echo before; (sleep 60 & echo $! > ${pids}; wait) & echo $$ >> ${pids}.shell; wait`;
      const result = await pipe(command, '{}', { timeout: 1 });
      assert.equal(result.outcome, 'timedOut');
      assert.equal(result.status, 2);
      assert.equal(result.output, 'Execution timed out\nbefore\n');
      const sleeper = Number(readFileSync(pids, 'utf8'));
      await eventually('the grandchild is dead', () => !isAlive(sleeper));
    });

    it('goes on when something the command left behind keeps the output open', async () => {
      const pids = file('left');
      const result = await pipe(`sleep 60 & echo $! > ${pids}; echo done`);
      assert.deepEqual([result.outcome, result.output], ['handled', 'done\n']);
      process.kill(Number(readFileSync(pids, 'utf8')), 'SIGKILL');
    });

    it('keeps the beginning of a long output, whole characters only, and lets the command finish', async () => {
      const done = file('done');
      const result = await pipe(`head -c 3000000 /dev/zero | tr '\\0' 'ä' ; echo > ${done}`);
      assert.equal(result.outcome, 'handled');
      assert.ok(existsSync(done));
      assert.ok(Buffer.byteLength(result.output ?? '') <= maxHandlerOutputBytes);
      const odd = await pipe(`printf 'x'; yes ä | head -c 9000 | tr -d '\\n'`);
      assert.match(odd.output ?? '', /^xä+$/);
      assert.equal(Buffer.byteLength(odd.output ?? ''), maxHandlerOutputBytes - 1);
    });

    it('is ended with the backend, and may be tried again', async () => {
      const stop = new AbortController();
      const running = pipe('sleep 60', '{}', {}, stop.signal);
      stop.abort();
      assert.deepEqual(await running, {
        outcome: 'failed',
        why: 'killed because the backend is stopping',
        retry: true,
      });
      assert.equal((await pipe('true', '{}', {}, stop.signal)).retry, true);
    });

    it('takes values of secrets out of the output, also where the cut would halve one', async () => {
      const secret = 'canary-secret-value';
      const scrub = scrubber([secret]);
      const one = handler('h', {
        type: 'pipe',
        command: `head -c ${maxHandlerOutputBytes - 5} /dev/zero | tr '\\0' x; cat`,
      });
      const result = await pipeHandler({
        handler: one,
        data: secret,
        environment: async () => ({ ...environment, scrub }),
        commands: runner,
        signal: undefined,
      });
      assert.equal((result.output ?? '').includes('canar'), false);
      assert.match(result.output ?? '', /xREDAC$/);
    });
  });

describe('taking secrets out of a text', () => {
  it('leaves nothing of a secret that holds another, and ordinary short words alone', () => {
    assert.equal(scrubber(['token', 'token-two'])('a token-two b token c'), 'a REDACTED b REDACTED c');
    assert.equal(scrubber(['yes', ''])('yes'), 'yes');
  });
});

describe('starting a command', () => {
  const pipe = pipeWith(directRunner);
  it('calls it an outage when this machine is out of processes, and a mistake when the command is impossible', async () => {
    const request = { command: 'true', input: '', env: {}, timeoutMs: 0, maxOutputBytes: 10 };
    const failing = (code: string) => () => {
      throw Object.assign(new Error(`spawn sh ${code}`), { code });
    };
    const results = await Promise.all(
      ['EAGAIN', 'EMFILE', 'ENOMEM', 'EACCES'].map((code) => runCommand(request, failing(code))),
    );
    assert.deepEqual(
      results.map((result) => result.type === 'notStarted' && result.outage),
      [true, true, true, false],
    );
    const impossible = await pipe('true\0');
    assert.deepEqual([impossible.outcome, impossible.retry], ['failed', undefined]);
    const huge = await runCommand({ ...request, command: `true ${'x'.repeat(3_000_000)}` });
    assert.equal(huge.type, 'notStarted');
  });
});

describe('the helper process', () => {
  it('may die: what it ran is an outage, and the next command gets a new one', async () => {
    const own = new CommandHelper();
    try {
      const pipe = pipeWith(own);
      assert.equal((await pipe('true')).outcome, 'handled');
      const running = pipe('sleep 60');
      process.kill(own.pid ?? 0, 'SIGKILL');
      const result = await running;
      assert.deepEqual([result.outcome, result.retry], ['failed', true]);
      assert.match(result.why, /the process that runs commands exited: it ended with SIGKILL/);
      assert.equal((await pipe('echo again')).output, 'again\n');
    } finally {
      own.close();
    }
  });

  it('ends when the backend disconnects, and not with a terminal signal', async () => {
    const own = new CommandHelper();
    await pipeWith(own)('true');
    const pid = own.pid ?? 0;
    process.kill(pid, 'SIGINT');
    process.kill(pid, 'SIGTERM');
    assert.equal((await pipeWith(own)('echo alive')).output, 'alive\n');
    assert.equal(own.pid, pid);
    own.close();
    await eventually('the helper has ended', () => !isAlive(pid));
  });

  it('gives commands nothing of its own environment, and bytes as they are', async () => {
    const request = {
      command: 'cat; env | sort',
      input: Buffer.from([0xff, 0x00]),
      env: { ONE: '1' },
      timeoutMs: 0,
      maxOutputBytes: 999,
    };
    const result = await helper.run(request);
    assert.ok(result.type === 'exited');
    assert.deepEqual([...result.output.subarray(0, 2)], [0xff, 0x00]);
    const names = result.output
      .subarray(2)
      .toString()
      .split('\n')
      .map((line) => line.split('=')[0]);
    assert.deepEqual(
      names.filter((name) => !['PWD', '_', 'SHLVL', 'OLDPWD', ''].includes(name ?? '')),
      ['ONE'],
    );
  });
});

const servers: Server[] = [];
const sockets: Socket[] = [];
// Closed here and not in the tests, so that a test that fails doesn't hang as well.
after(() => {
  for (const server of servers) server.close();
  for (const socket of sockets) socket.close();
});

interface Listener {
  readonly server: Server;
  readonly port: number;
  /** What the first connection sent. */
  readonly received: Promise<string>;
  /** True when that connection ended with a reset in place of a close. */
  readonly cutOff: Promise<boolean>;
}

const listen = async (answer?: string): Promise<Listener> => {
  const server = createServer({ allowHalfOpen: true });
  servers.push(server);
  let setCutOff: (cut: boolean) => void = () => {};
  const cutOff = new Promise<boolean>((resolve) => {
    setCutOff = resolve;
  });
  const received = new Promise<string>((resolve) => {
    server.on('connection', (socket) => {
      const chunks: Buffer[] = [];
      if (answer !== undefined) socket.write(answer);
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      socket.on('error', () => setCutOff(true));
      socket.on('close', (hadError) => setCutOff(hadError));
      socket.on('end', () => {
        socket.end();
        resolve(Buffer.concat(chunks).toString());
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    server,
    port: typeof address === 'object' && address !== null ? address.port : 0,
    received,
    cutOff,
  };
};

const tcp = (port: number, data: string | Buffer, fields: object = {}, signal?: AbortSignal) =>
  tcpHandler({
    handler: handler('h', { type: 'tcp', socket: { host: '127.0.0.1', port }, ...fields }),
    data,
    signal,
  });

describe('the tcp handler', () => {
  it('writes the data, nothing more, and closes', async () => {
    const { port, received } = await listen();
    const data = `{"a":"${'x'.repeat(300_000)}"}`;
    const result = await tcp(port, data);
    assert.deepEqual(result, { outcome: 'handled', why: `tcp 127.0.0.1:${port}: 300008 bytes written` });
    assert.equal(await received, data);
  });

  it('reads no reply, and is not stopped by one', async () => {
    const { port, received, cutOff } = await listen('hello\n'.repeat(1_000_000));
    assert.equal((await tcp(port, 'data')).outcome, 'handled');
    assert.equal(await received, 'data');
    assert.equal(await cutOff, false);
  });

  it('calls a refused connection an outage', async () => {
    const { server, port } = await listen();
    server.close();
    await once(server, 'close');
    const result = await tcp(port, 'data');
    assert.deepEqual([result.outcome, result.retry], ['failed', true]);
    assert.match(result.why, new RegExp(`^tcp 127\\.0\\.0\\.1:${port}: .*ECONNREFUSED`));
  });

  it('gives up when writing takes longer than its timeout', async () => {
    const server = createServer((socket) => socket.pause());
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const result = await tcp(port, Buffer.alloc(32_000_000), { timeout: 1 });
    assert.deepEqual([result.outcome, result.retry], ['timedOut', true]);
    assert.match(result.why, /not written within 1 s/);
  });

  it('is given up with the backend', async () => {
    const { port } = await listen();
    const result = await tcp(port, 'x', {}, AbortSignal.abort());
    assert.deepEqual([result.outcome, result.retry], ['failed', true]);
  });
});

describe('the udp handler', () => {
  const udp = (port: number, data: string) =>
    udpHandler({
      handler: handler('h', { type: 'udp', socket: { host: '127.0.0.1', port } }),
      data,
      signal: undefined,
    });

  it('sends the data as one datagram', async () => {
    const socket = createSocket('udp4');
    sockets.push(socket);
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const { port } = socket.address();
    const message = once(socket, 'message');
    const result = await udp(port, '{"a":1}');
    assert.deepEqual(result, { outcome: 'handled', why: `udp 127.0.0.1:${port}: 7 bytes sent` });
    assert.equal(String((await message)[0]), '{"a":1}');
  });

  it('refuses what does not fit, at n and n + 1, and says what to do', async () => {
    const socket = createSocket('udp4');
    sockets.push(socket);
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const { port } = socket.address();
    assert.equal((await udp(port, 'x'.repeat(maxDatagramBytes))).outcome, 'handled');
    const result = await udp(port, 'x'.repeat(maxDatagramBytes + 1));
    assert.deepEqual([result.outcome, result.retry], ['failed', undefined]);
    assert.match(result.why, /65508 bytes.*use a mutator or tcp/);
  });

  it('says which name cannot be resolved', async () => {
    const one = handler('h', { type: 'udp', socket: { host: 'no-such-host.invalid', port: 9 } });
    const result = await udpHandler({ handler: one, data: 'x', signal: undefined });
    assert.equal(result.outcome, 'failed');
    assert.match(result.why, /no-such-host\.invalid/);
  });
});
