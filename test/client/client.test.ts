// The client as a whole, with a broker in memory and time in our hands (earlier-client sheet 1.6 to 1.10).
import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { type Client, createClient, deregistrationResult } from '../../src/client/client.ts';
import { createCommandSlots } from '../../src/client/command-slots.ts';
import { execute } from '../../src/client/executor.ts';
import { pickHook } from '../../src/client/hooks.ts';
import { maxHeldResults } from '../../src/client/outbox.ts';
import { isStandalone } from '../../src/client/standalone.ts';
import { chooseTransport } from '../../src/client/transports.ts';
import type { Json } from '../../src/model/earlier/json.ts';
import { isSubdued } from '../../src/model/earlier/subdue.ts';
import { substitute } from '../../src/model/earlier/tokens.ts';
import { fakeTransport } from './fake-transport.ts';
import { dial, eventually, handTimers, rememberingLog } from './helpers.ts';

const running: Client[] = [];
afterEach(async () => {
  for (const client of running.splice(0)) await client.stop();
});

const setUp = (client: Json = {}, checks: Json = {}, more: Json = {}) => {
  const broker = fakeTransport();
  const log = rememberingLog();
  const time = handTimers();
  const faults: unknown[] = [];
  const settings: Json = {
    client: {
      name: 'c1',
      address: '10.0.0.9',
      subscriptions: ['web', 'roundrobin:web', 'client:c1'],
      socket: { port: 0 },
      http_socket: { port: 0 },
      ...client,
    },
    checks,
    sensu: { spawn: { limit: 12 } },
    ...more,
  };
  const made = createClient({
    settings,
    version: '1.2.3',
    log,
    timers: time.timers,
    transport: broker.transport,
    onFault: (error) => faults.push(error),
  });
  running.push(made);
  return { client: made, broker, log, faults, ...time };
};

const start = async (client: Json = {}, checks: Json = {}, more: Json = {}) => {
  const made = setUp(client, checks, more);
  made.client.start();
  made.broker.connect();
  await eventually(() => made.broker.takers.size === 3, 'the subscriptions');
  return made;
};

const resultOf = async (made: Awaited<ReturnType<typeof start>>, at = 0) =>
  (await eventually(() => made.broker.results()[at], `result ${at}`)) as {
    client: string;
    check: { [key: string]: unknown };
    signature?: string;
  };

/** The check of the first result; empty when there is none. */
const firstCheck = ({ broker }: ReturnType<typeof setUp>): Json =>
  (broker.results()[0]?.['check'] ?? {}) as Json;

describe('keepalives', () => {
  test('the definition, version and time are sent at once and every 20 s, with secrets hidden', async () => {
    const made = await start({ service: { password: 'x' }, keepalive: { thresholds: { warning: 40 } } });
    assert.deepEqual(made.broker.keepalives(), [
      {
        name: 'c1',
        address: '10.0.0.9',
        subscriptions: ['web', 'roundrobin:web', 'client:c1'],
        socket: { bind: '127.0.0.1', port: 0 },
        http_socket: { bind: '127.0.0.1', port: 0 },
        service: { password: 'REDACTED' },
        keepalive: { thresholds: { warning: 40 } },
        version: '1.2.3',
        timestamp: 1_800_000_000,
      },
    ]);
    made.advance(19_999);
    assert.equal(made.broker.keepalives().length, 1);
    made.advance(1);
    assert.equal(made.broker.keepalives()[1]?.['timestamp'], 1_800_000_020);
    made.advance(60_000);
    assert.equal(made.broker.keepalives().length, 5);
  });

  test('a list of its own replaces the default one', async () => {
    const made = await start({ redact: ['mine'], mine: 'a', password: 'b' });
    const [sent] = made.broker.keepalives();
    assert.deepEqual([sent?.['mine'], sent?.['password']], ['REDACTED', 'b']);
  });

  test('they are sent even when nobody watches them', async () => {
    const made = await start({ keepalives: false });
    assert.equal(made.broker.keepalives()[0]?.['keepalives'], false);
  });

  test('without the line nothing is sent; with it again, everything begins anew at once', async () => {
    const made = await start();
    made.broker.lose();
    made.advance(60_000);
    assert.equal(made.broker.keepalives().length, 1);
    made.broker.connect();
    await eventually(() => made.broker.takers.size === 3);
    assert.equal(made.broker.keepalives().length, 2);
    made.advance(20_000);
    assert.equal(made.broker.keepalives().length, 3);
    assert.deepEqual(made.faults, []);
  });
});

describe('subscriptions', () => {
  test('shared ones are direct pipes with one funnel for all; the others share the funnel of this process', async () => {
    const { broker } = await start();
    const shape = [...broker.takers.values()].map(({ pipe, funnel }) => [pipe.type, pipe.name, funnel]);
    assert.deepEqual(shape, [
      ['fanout', 'web', 'c1-1.2.3-1800000000'],
      ['direct', 'roundrobin:web', 'roundrobin:web'],
      ['fanout', 'client:c1', 'c1-1.2.3-1800000000'],
    ]);
  });

  test('what is no request is told of and dropped', async () => {
    const made = await start();
    made.broker.request('web', '{');
    made.broker.request('web', '[]');
    made.broker.request('web', '{"command":"true"}');
    assert.equal(made.log.told('failed to parse the check request payload').length, 1);
    assert.equal(made.log.told('check request names no check').length, 2);
  });
});

describe('checks', () => {
  test('a request is run and its result published', async () => {
    const made = await start({ signature: 'S1' });
    const request = { command: 'echo hi; echo err >&2; exit 2', name: 'rr', issued: 5, foo: { a: 1 } };
    made.broker.request('roundrobin:web', request);
    const { client, check, signature } = await resultOf(made);
    assert.deepEqual([client, signature], ['c1', 'S1']);
    assert.deepEqual(check, {
      ...request,
      executed: 1_800_000_000,
      duration: 0,
      output: 'hi\nerr\n',
      status: 2,
    });
  });

  test('tokens are filled in, and the command is published as it was asked for', async () => {
    const made = await start({ port: 81, secret: 'x', list: ['a', 'b'] });
    made.broker.request('web', {
      name: 'a',
      command: 'echo :::port::: :::nix|dflt::: :::secret:::',
      note: ':::list::: :::name.zip::: [:::gone|:::]',
    });
    const { check } = await resultOf(made);
    assert.equal(check['output'], '81 dflt x\n');
    assert.equal(check['command'], 'echo :::port::: :::nix|dflt::: :::secret:::');
    assert.equal(check['note'], '["a", "b"] c1 []');
  });

  test('tokens nobody can fill keep a check from running', async () => {
    const made = await start();
    made.broker.request('web', { name: 'a', command: 'echo :::a::: :::b.c::: :::a:::' });
    const { check } = await resultOf(made);
    assert.equal(check['output'], 'Unmatched client token(s): a, b.c');
    assert.deepEqual([check['status'], check['handle']], [3, false]);
  });

  test('a definition on this machine wins over the request, unless the request is for proxies', async () => {
    const made = await start({}, { local: { command: 'echo mine', subscribers: ['web'], interval: 60 } });
    made.broker.request('web', { name: 'local', command: 'echo theirs', issued: 1 });
    const first = await resultOf(made);
    assert.equal(first.check['output'], 'mine\n');
    assert.deepEqual([first.check['interval'], first.check['issued']], [60, 1]);
    made.broker.request('web', { name: 'local', command: 'echo theirs', proxy_requests: {}, issued: 1 });
    assert.equal((await resultOf(made, 1)).check['output'], 'theirs\n');
  });

  test('safe mode runs only what is defined on this machine', async () => {
    const made = await start({ safe_mode: true }, { local: { command: 'echo mine' } });
    made.broker.request('web', { name: 'foreign', command: 'touch /nowhere' });
    const { check } = await resultOf(made);
    assert.equal(check['output'], 'Check is not locally defined (safe mode)');
    assert.deepEqual([check['status'], check['handle'], check['executed']], [3, false, 1_800_000_000]);
    made.broker.request('web', { name: 'local', command: 'touch /nowhere' });
    assert.equal((await resultOf(made, 1)).check['output'], 'mine\n');
  });

  test('one check runs once at a time; the same name for another source is another check', async () => {
    const made = await start();
    made.broker.request('web', { name: 'slow', command: 'sleep 0.2' });
    made.broker.request('web', { name: 'slow', command: 'sleep 0.2' });
    made.broker.request('web', { name: 'slow', command: 'true', source: 'sw-1' });
    assert.equal(made.log.told('previous check command execution in progress').length, 1);
    await resultOf(made, 1);
    assert.deepEqual(
      made.broker.results().map(({ check }) => (check as { source?: string }).source),
      ['sw-1', undefined],
    );
  });

  test('a request without a command is told of; nothing is published', async () => {
    const made = await start();
    made.broker.request('web', { name: 'x', extension: 'system_profile' });
    await eventually(() => made.log.told('unknown check extension').length === 1);
    assert.deepEqual(made.broker.results(), []);
  });

  test('a check may read the client and itself from its standard input', async () => {
    const made = await start({ custom: 7 });
    made.broker.request('web', { name: 'x', command: 'cat', stdin: true });
    const { check } = await resultOf(made);
    const read = JSON.parse(String(check['output']));
    assert.equal(read.client.custom, 7);
    assert.equal(read.check.name, 'x');
  });

  test('an empty source is left out', async () => {
    const made = await start();
    made.broker.request('web', { name: 'x', command: 'true', source: '' });
    assert.equal('source' in (await resultOf(made)).check, false);
  });
});

describe('hooks', () => {
  test('one is picked: by status, by severity, then non-zero', () => {
    const hooks = { 2: {}, critical: {}, 'non-zero': {}, unknown: {}, ok: {} };
    assert.deepEqual(
      [2, 1, 3, 77, 0].map((status) => pickHook(hooks, status)),
      ['2', 'non-zero', 'unknown', 'unknown', 'ok'],
    );
    assert.equal(pickHook({ critical: {} }, 2), 'critical');
    assert.equal(pickHook({ warning: {} }, 2), undefined);
    assert.equal(pickHook(undefined, 2), undefined);
  });

  test('its result lies beside its definition; the local definition stays as it was', async () => {
    const hooks = { 'non-zero': { command: 'echo hooked :::name:::' } };
    const made = await start({}, { h: { command: 'exit 1', hooks } });
    for (const at of [0, 1]) {
      made.broker.request('web', { name: 'h' });
      const { check } = await resultOf(made, at);
      assert.deepEqual(check['hooks'], {
        'non-zero': {
          command: 'echo hooked :::name:::',
          executed: 1_800_000_000,
          duration: 0,
          output: 'hooked c1\n',
          status: 0,
        },
      });
    }
  });

  test('a token nobody can fill is the result of the hook', async () => {
    const made = await start();
    made.broker.request('web', { name: 'h', command: 'exit 1', hooks: { 1: { command: 'echo :::x:::' } } });
    const { check } = await resultOf(made);
    assert.equal(check['status'], 1);
    const hook = (check['hooks'] as { 1: Json })[1];
    assert.deepEqual([hook['output'], hook['status']], ['Unmatched client token(s): x', 3]);
  });
});

describe('commands', () => {
  const run = (command: string, timeoutSeconds?: number) =>
    execute({ command, timeoutSeconds, input: undefined }).result;

  test('a command that takes too long is ended, and what it said is forgotten', async () => {
    assert.deepEqual(await run('echo before; sleep 60', 0.1), { status: 2, output: 'Execution timed out' });
  });

  test('a missing command is the shell’s 127, a signal its number', async () => {
    assert.equal((await run('/nowhere/at/all')).status, 127);
    assert.deepEqual(await run('kill -9 $$'), { status: 9, output: '' });
    assert.deepEqual(await run('kill -TERM $$'), { status: 15, output: '' });
  });

  test('what cannot be started is a result, too', async () => {
    const { status, output } = await run('echo \0');
    assert.equal(status, 3);
    assert.match(output, /^Unexpected error: /);
  });

  test('a child left behind does not hold the result', async () => {
    assert.deepEqual(await run('sleep 60 & echo $! > /dev/null; echo done'), { status: 0, output: 'done\n' });
  });

  test('only so many run at once', async () => {
    const slots = createCommandSlots(1);
    const command = (text: string) => ({ command: text, timeoutSeconds: undefined, input: undefined });
    const order: string[] = [];
    const first = slots.run(command('sleep 0.1'))?.then(() => order.push('first'));
    const second = slots.run(command('true'))?.then(() => order.push('second'));
    await Promise.all([first, second]);
    assert.deepEqual(order, ['first', 'second']);
    slots.killAll();
  });
});

describe('standalone checks', () => {
  test('they run by their splay and then every interval, without being asked', async () => {
    const made = setUp(
      { name: 'i-424242' },
      { test: { command: 'echo alone', standalone: true, interval: 60 } },
    );
    made.client.start();
    made.broker.connect();
    await eventually(() => made.broker.takers.size === 3);
    // 1_800_000_000_000 is a multiple of neither; the vector of the sheet is tested with the rule.
    await eventually(() => made.waiting() === 2, 'the schedule');
    made.advance(60_000);
    const first = await resultOf(made);
    assert.equal(first.check['output'], 'alone\n');
    assert.equal(first.check['standalone'], true);
    made.advance(60_000);
    await resultOf(made, 1);
    const issued = made.broker.results().map(({ check }) => (check as { issued: number }).issued);
    assert.equal((issued[1] ?? 0) - (issued[0] ?? 0), 60);
  });

  test('a schedule follows cron', async () => {
    const made = await start({}, { hourly: { command: 'true', standalone: true, cron: '@hourly' } });
    await eventually(() => made.waiting() === 2);
    made.advance(3_600_000);
    await resultOf(made);
    made.advance(3_600_000);
    await resultOf(made, 1);
  });

  test('a time window keeps one from running, and says so', async () => {
    const always = { days: { all: [{ begin: '00:00', end: '23:59:59' }] } };
    const made = await start(
      {},
      { quiet: { command: 'true', standalone: true, interval: 10, subdue: always } },
    );
    await eventually(() => made.waiting() === 2);
    made.advance(10_000);
    assert.equal(made.log.told('check execution was subdued').length, 1);
    assert.deepEqual(made.broker.results(), []);
  });

  test('only those that say so and have a time are scheduled', () => {
    assert.equal(isStandalone({ standalone: true, interval: 1 }), true);
    assert.equal(isStandalone({ standalone: true, cron: '@daily' }), true);
    assert.equal(isStandalone({ standalone: true, interval: 1, publish: false }), false);
    assert.equal(isStandalone({ standalone: true }), false);
    assert.equal(isStandalone({ interval: 1 }), false);
  });

  test('windows: by weekday, at an offset, over midnight, both ends included', () => {
    // 2026-11-21 is a Saturday.
    const at = (time: string) => Date.parse(`2026-11-21T${time}Z`);
    const day = { days: { saturday: [{ begin: '9:00 UTC', end: '17:00 UTC' }] } };
    assert.deepEqual(
      ['08:59:59', '09:00:00', '17:00:00', '17:00:01'].map((time) => isSubdued(day, at(time))),
      [false, true, true, false],
    );
    assert.equal(isSubdued({ days: { sunday: day.days.saturday } }, at('12:00:00')), false);
    const night = { days: { friday: [{ begin: '10PM UTC', end: '6AM UTC' }] } };
    assert.deepEqual(
      ['05:59:59', '06:00:01', '22:30:00'].map((time) => isSubdued(night, at(time))),
      [true, false, false],
    );
    const east = { days: { all: [{ begin: '12:00 +0200', end: '13:00 +0200' }] } };
    assert.equal(isSubdued(east, at('10:30:00')), true);
    assert.equal(isSubdued(undefined, at('10:30:00')), false);
  });
});

describe('tokens', () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    [':::nested.attribute:::', 'yes', []],
    [':::nested:::', '', ['nested']],
    [':::nested|d:::', 'd', []],
    [':::off:::', 'false', []],
    [':::empty|x:::', '', []],
    [':::none|a|b:::', 'a|b', []],
    ['a:::b', 'a:::b', []],
    [':::one::: and :::two:::', '1 and ', ['two']],
    [':::__proto__.x|safe:::', 'safe', []],
  ];
  for (const [text, expected, unmatched] of cases)
    test(`${text} becomes ${JSON.stringify(expected)}`, () => {
      const attributes = { nested: { attribute: 'yes' }, off: false, empty: '', one: 1 };
      assert.deepEqual(substitute(text, attributes), { value: expected, unmatched });
    });

  test('keys stay, and what is no text stays', () => {
    const { value } = substitute({ ':::one:::': [':::one:::', 2, null, true] }, { one: 1 });
    assert.deepEqual(value, { ':::one:::': ['1', 2, null, true] });
  });
});

describe('sockets and results', () => {
  test('results from this machine are signed and published', async () => {
    const made = await start({ signature: 'S1' });
    const line = dial(made.client.ports().socket ?? 0);
    line.send('{"name":"app","output":"fine"}');
    assert.equal(await line.closed, 'ok');
    const { client, check, signature } = await resultOf(made);
    assert.deepEqual([client, check['name'], signature], ['c1', 'app', 'S1']);
  });

  test('results wait while the line is down, in order, up to a limit', async () => {
    const made = await start();
    made.broker.lose();
    const line = dial(made.client.ports().socket ?? 0);
    const many = Array.from({ length: maxHeldResults + 1 }, (_, at) => ({ name: `n${at}`, output: '' }));
    line.send(JSON.stringify(many));
    assert.equal(await line.closed, 'ok');
    await eventually(
      () => made.log.told('too many results wait for the transport, dropping the oldest').length === 1,
    );
    made.broker.connect();
    await eventually(() => made.broker.results().length === maxHeldResults, 'all results');
    assert.equal(firstCheck(made)['name'], 'n1');
  });

  test('they can be turned off', async () => {
    const made = await start({ socket: { enabled: false }, http_socket: { enabled: false } });
    assert.deepEqual(made.client.ports(), {});
    assert.equal(made.log.told('client tcp/udp socket disabled per configuration').length, 1);
    assert.equal(made.log.told('client http socket disabled per configuration').length, 1);
  });

  test('a port that is taken is a fault', async () => {
    const first = await start();
    const port = first.client.ports().socket ?? 0;
    const second = setUp({ socket: { port } });
    second.client.start();
    second.broker.connect();
    await eventually(() => second.faults.length === 1);
    assert.match(String(second.faults[0]), /EADDRINUSE/);
  });
});

describe('leaving', () => {
  test('a client that wants to be forgotten says so, once, at the end', async () => {
    const made = await start({
      deregister: true,
      deregistration: { handlers: ['x'], status: 2, name: 'no', foo: 1 },
    });
    await made.client.stop();
    assert.deepEqual(made.broker.results(), [
      {
        client: 'c1',
        check: {
          handler: 'deregistration',
          status: 2,
          handlers: ['x'],
          foo: 1,
          name: 'deregistration',
          output: 'client initiated deregistration',
          issued: 1_800_000_000,
          executed: 1_800_000_000,
        },
      },
    ]);
    assert.equal(made.broker.transport.isConnected(), false);
  });

  test('only exactly true counts, and only who was there can leave', async () => {
    const unsure = await start({ deregister: 'true' });
    await unsure.client.stop();
    assert.deepEqual(unsure.broker.results(), []);
    const never = setUp({ deregister: true });
    never.client.start();
    await never.client.stop();
    assert.deepEqual(never.broker.results(), []);
    assert.equal(deregistrationResult({}, 1)['status'], 1);
  });

  test('a check in progress is waited for', async () => {
    const made = await start();
    made.broker.request('web', { name: 'slow', command: 'sleep 0.3; echo done' });
    await made.client.stop();
    assert.equal(firstCheck(made)['output'], 'done\n');
  });
});

test('a transport nobody knows is refused with its name', () => {
  const chosen = chooseTransport({ transport: { name: 'carrier-pigeon' } }, () => {});
  assert.deepEqual(chosen, {
    ok: false,
    problem: 'transport name must be websocket, redis or rabbitmq (got "carrier-pigeon")',
  });
  assert.equal(chooseTransport({ websocket: { url: 'no url' } }, () => {}).ok, false);
});
