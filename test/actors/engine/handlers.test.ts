// Real pipelines behind the composed backend: real processes and sockets, verdicts kept with the check, and circuits that
// keep one bad handler from holding up the others. Processes run in real time; waits of the backend are simulated.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { traceSchema } from '../../../src/http/trace-doc.ts';
import { handler, open, traceOf, until } from './real-pipelines.ts';

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('verdicts', () => {
  test('of every filter and handler are kept with the check, reasons included', async (t) => {
    const { world, folder } = await open(t);
    const file = join(folder, 'told');
    await world.filter('office', { action: 'allow', expressions: ['event.check.occurrences == 1'] });
    await world.filter('loops', { action: 'allow', expressions: ['while (true) {}'] });
    await world.filter('eats', {
      action: 'allow',
      expressions: ['"x".repeat(20000000).length > 0'],
    });
    await handler(world, 'told', { command: `cat > ${file}`, filters: ['is_incident', 'office'] });
    await handler(world, 'quiet', { command: 'true', filters: ['not_silenced'] });
    await handler(world, 'slow', { command: 'true', filters: ['loops'] });
    await handler(world, 'fat', { command: 'true', filters: ['eats'] });
    await world.silence({ check: 'cpu' });
    await world.post({ status: 2, handlers: ['told', 'quiet', 'slow', 'fat', 'missing'] });
    await until(world, 'the delivery', async () => (await traceOf(world)) !== undefined);
    const trace = await traceOf(world);
    assert.ok(trace);
    assert.deepEqual(traceSchema.parse(trace), trace, 'it is what the API says it is');
    const verdicts = new Map(trace.workflows.map(({ name, outcome, why }) => [name, { outcome, why }]));
    assert.equal(verdicts.get('told')?.outcome, 'handled');
    assert.match(verdicts.get('quiet')?.why ?? '', /^not_silenced: silenced by \*:cpu/);
    // In doubt people are told: a filter that fails lets the event pass, and says why.
    const failureOf = (name: string) =>
      trace.workflows
        .find((workflow) => workflow.name === name)
        ?.filters.find(({ verdict }) => verdict === 'error');
    assert.match(failureOf('slow')?.why ?? '', /loops: .*50 ms.*passes/);
    assert.match(failureOf('fat')?.why ?? '', /eats: .*memory.*passes/);
    assert.deepEqual(
      ['slow', 'fat'].map((name) => verdicts.get(name)?.outcome),
      ['handled', 'handled'],
    );
    assert.match(trace.skipped[0]?.why ?? '', /does not exist/);
    assert.equal(JSON.parse(readFileSync(file, 'utf8')).check.status, 2);
  });

  test('of sockets and sets: a TCP and a UDP listener receive the event', async (t) => {
    const { world } = await open(t);
    const received: string[] = [];
    const tcp = createServer((socket) => {
      let text = '';
      socket.on('data', (data) => {
        text += data;
      });
      socket.on('end', () => received.push(`tcp ${JSON.parse(text).check.output}`));
    });
    await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
    const udp = createSocket('udp4');
    udp.on('message', (data) => received.push(`udp ${JSON.parse(String(data)).check.output}`));
    await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
    t.after(() => {
      tcp.close();
      udp.close();
    });
    const tcpPort = (tcp.address() as { port: number }).port;
    await handler(world, 'tcp', { type: 'tcp', socket: { host: '127.0.0.1', port: tcpPort } });
    await handler(world, 'udp', { type: 'udp', socket: { host: '127.0.0.1', port: udp.address().port } });
    await handler(world, 'both', { type: 'set', handlers: ['tcp', 'udp'] });
    await world.post({ status: 1, output: 'hello', handlers: ['both'] });
    await until(world, 'both messages', () => received.length === 2);
    assert.deepEqual(received.sort(), ['tcp hello', 'udp hello']);
  });
});

describe('an event that built-in filters deny to everybody', () => {
  test('costs no delivery, is noted in the write under way, and its trace says why', async (t) => {
    const { world } = await open(t);
    await world.filter('never', {
      action: 'allow',
      expressions: ['true'],
      when: { days: { all: [{ begin: '1:00 AM', end: '1:01 AM' }] } },
    });
    await handler(world, 'a', { command: 'true', filters: ['is_incident', 'not_silenced'] });
    await handler(world, 'b', { command: 'true', filters: ['never'] });
    await world.post({ handlers: ['a', 'b'] });
    const { writes: before = 0 } = world.backend.gauges();
    for (let run = 0; run < 5; run += 1) await world.post({ handlers: ['a', 'b', 'gone'] });
    const { writes: after = 0, delivered } = world.backend.gauges();
    assert.deepEqual([after - before, delivered], [5, 0]);
    const trace = await traceOf(world);
    assert.ok(trace);
    assert.deepEqual(traceSchema.parse(trace), trace);
    assert.deepEqual(
      trace.workflows.map(({ name, outcome, why }) => `${name} ${outcome}: ${why}`),
      [
        'a denied: is_incident: neither an incident nor its resolution',
        'b denied: never: outside its time windows (UTC)',
      ],
    );
    assert.equal(trace.summary, '2 denied, 1 not runnable');
  });

  test('is delivered when one workflow may pass, and follows what waits before it', async (t) => {
    const { world, folder } = await open(t);
    const file = join(folder, 'told');
    const command = `sleep 0.2; cat >> ${file}; echo >> ${file}`;
    await handler(world, 'a', { command, filters: ['is_incident'] });
    for (const [output, status] of Object.entries({ bad: 2, resolved: 0, fine: 0, worse: 1 }))
      await world.post({ output, status, handlers: ['a'] });
    /** Whole lines only: the last one may be half written. */
    const told = () =>
      (existsSync(file) ? readFileSync(file, 'utf8') : '')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line).check.output);
    await until(world, 'three deliveries', () => told().length === 3);
    assert.deepEqual(told(), ['bad', 'resolved', 'worse']);
    await until(world, 'the last trace', async () => (await traceOf(world))?.summary === '1 handled');
  });
});

describe('an event that names nobody who can be told', () => {
  test('costs one write and no delivery, and its trace says why', async (t) => {
    const { world } = await open(t);
    await world.post({ handlers: ['missing'] });
    const writes = () => world.backend.gauges()['writes'] ?? 0;
    const before = writes();
    await world.post({ handlers: ['missing', 'gone'], status: 2 });
    assert.equal(writes() - before, 1);
    assert.equal(world.backend.gauges()['delivered'], 0);
    const trace = await traceOf(world);
    assert.ok(trace);
    assert.deepEqual(traceSchema.parse(trace), trace);
    assert.deepEqual(trace.skipped, [
      { skipped: 'handler missing', why: 'does not exist' },
      { skipped: 'handler gone', why: 'does not exist' },
    ]);
    assert.equal(trace.summary, '2 not runnable');
  });

  test('is delivered as soon as there is somebody', async (t) => {
    const { world, folder } = await open(t);
    await world.post({ handlers: ['told'], status: 2 });
    const file = join(folder, 'told');
    await handler(world, 'told', { command: `cat > ${file}` });
    await world.post({ handlers: ['told'], status: 2 });
    await until(world, 'the delivery', () => existsSync(file));
    await until(world, 'its trace', async () => (await traceOf(world))?.summary === '1 handled');
  });
});

describe('a hanging handler', () => {
  test('is killed with its process group, its circuit opens, and nobody else waits', async (t) => {
    const { world, folder } = await open(t);
    const pids = join(folder, 'pids');
    const told = join(folder, 'told');
    // A grandchild that would outlive its parent, were the group not killed.
    await handler(world, 'hangs', {
      command: `sleep 300 & echo $! >> ${pids}; echo $$ >> ${pids}; wait`,
      timeout: 1,
    });
    await handler(world, 'works', { command: `echo done >> ${told}` });
    const linesOf = (file: string): string[] =>
      existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
    for (let index = 0; index < 6; index += 1) {
      await world.post({ name: `bad-${index}`, status: 1, handlers: ['hangs'] });
    }
    await until(world, 'the hanging commands', () => linesOf(pids).length === 12);
    for (let index = 0; index < 5; index += 1) {
      await world.post({ name: `good-${index}`, status: 1, handlers: ['works'] });
    }
    await until(world, 'the others', () => linesOf(told).length === 5);
    assert.ok(
      linesOf(pids).some((pid) => isAlive(Number(pid))),
      'the others were served while it hung',
    );
    await until(world, 'the end of its processes', () => linesOf(pids).every((pid) => !isAlive(Number(pid))));
    const circuit = 'circuit:default/hangs';
    const stateOf = () =>
      (world.backend.runtime.registry.peek(circuit) as unknown as { value: unknown } | undefined)?.value;
    await until(world, 'the open circuit', () => stateOf() === 'open');
    assert.equal(world.warnings(/keeps failing and is left alone/).length, 1);

    // Open: refused at once, with the reason, and started no more.
    await world.post({ name: 'bad-later', status: 1, handlers: ['hangs'] });
    await until(world, 'its trace', async () => (await traceOf(world, 'bad-later')) !== undefined);
    assert.equal(linesOf(pids).length, 12);
    const waiting = await traceOf(world, 'bad-later');
    assert.equal(waiting?.retry, true);
    assert.match(
      waiting?.workflows[0]?.why ?? '',
      /^the circuit of handler hangs is open: 5 calls failed in a row \(last: killed with all its processes/,
    );
    await world.post({ name: 'good-later', status: 1, handlers: ['works'] });
    await until(world, 'the working handler', () => linesOf(told).length === 6);

    // Mended: the delivery that waits is tried again after the pause, and closes the circuit.
    await handler(world, 'hangs', { command: `echo late >> ${told}`, timeout: 1 });
    for (let minute = 0; minute < 10 && linesOf(told).length < 7; minute += 1) {
      await world.advance(60_000);
      await sleep(100);
      await world.quiet();
    }
    assert.equal(
      linesOf(told).filter((line) => line === 'late').length,
      1,
      'the refused delivery came in the end',
    );
    await until(world, 'the closed circuit', () => stateOf() === undefined || stateOf() === 'closed');
  });
});
