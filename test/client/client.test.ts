// The client as a whole, with a broker in memory and time in our hands.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deregistrationResult } from '../../src/client/client.ts';
import { maxHeldResults } from '../../src/client/outbox.ts';
import { dial, eventually } from './helpers.ts';
import { firstCheck, resultOf, setUp, start } from './whole-client.ts';

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

  test('keepalives are sent even if they are not monitored', async () => {
    const made = await start({ keepalives: false });
    assert.equal(made.broker.keepalives()[0]?.['keepalives'], false);
  });

  test('without a connection nothing is sent; after reconnecting, everything restarts immediately', async () => {
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

  test('an invalid request is logged and dropped', async () => {
    const made = await start();
    made.broker.request('web', '{');
    made.broker.request('web', '[]');
    made.broker.request('web', '{"command":"true"}');
    assert.equal(made.log.told('failed to parse the check request payload').length, 1);
    assert.equal(made.log.told('check request has no check name').length, 2);
  });

  test('one that is nested too deeply is refused, and the client goes on', async () => {
    const made = await start();
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    made.broker.request('web', `{"name":"deep","command":"true","more":${deep}}`);
    made.broker.request('web', { name: 'next', command: 'true' });
    assert.equal((await resultOf(made)).check['name'], 'next');
    assert.equal(made.log.told('failed to parse the check request payload').length, 1);
    assert.deepEqual(made.faults, []);
  });
});

describe('sockets and results', () => {
  test('results from this machine are signed and published', async () => {
    const made = await start({ signature: 'S1' });
    const line = dial(made.client.ports().socket ?? 0);
    line.send('{"name":"app","output":"fine","status":0}');
    assert.equal(await line.closed, 'ok');
    const { client, check, signature } = await resultOf(made);
    assert.deepEqual([client, check['name'], signature], ['c1', 'app', 'S1']);
  });

  test('results wait while the line is down, in order, up to a limit', async () => {
    const made = await start();
    made.broker.lose();
    const line = dial(made.client.ports().socket ?? 0);
    const many = Array.from({ length: maxHeldResults + 1 }, (_, at) => ({
      name: `n${at}`,
      output: '',
      status: 0,
    }));
    line.send(JSON.stringify(many));
    assert.equal(await line.closed, 'ok');
    await eventually(
      () => made.log.told('too many results queued for the transport, dropping the oldest').length === 1,
    );
    made.broker.connect();
    await eventually(() => made.broker.results().length === maxHeldResults, 'all results');
    assert.equal(firstCheck(made)['name'], 'n1');
  });

  test('a broker that confirms nothing neither fills the memory nor keeps the client from stopping', async () => {
    const made = await start();
    made.broker.fallSilent();
    const line = dial(made.client.ports().socket ?? 0);
    const one = { name: 'n', output: '', status: 0 };
    line.send(JSON.stringify(Array.from({ length: maxHeldResults + 2 }, () => one)));
    assert.equal(await line.closed, 'ok');
    assert.equal(made.log.told('too many results queued for the transport, dropping the oldest').length, 1);
    await made.client.stop();
    assert.deepEqual(
      made.log.told('check results were not sent').map(({ data }) => data),
      [{ held: maxHeldResults + 1 }],
    );
  });

  test('they can be turned off', async () => {
    const made = await start({ socket: { enabled: false }, http_socket: { enabled: false } });
    assert.deepEqual(made.client.ports(), {});
    assert.equal(made.log.told('client tcp/udp socket disabled per configuration').length, 1);
    assert.equal(made.log.told('client http socket disabled per configuration').length, 1);
  });

  test('a port in use is an error', async () => {
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
          handlers: ['x'],
          foo: 1,
          name: 'deregistration',
          output: 'client initiated deregistration',
          status: 1,
          issued: 1_800_000_000,
          executed: 1_800_000_000,
        },
      },
    ]);
    assert.equal(made.broker.transport.isConnected(), false);
  });

  test('only the value true deregisters, and only after a keepalive was sent', async () => {
    const unsure = await start({ deregister: 'true' });
    await unsure.client.stop();
    assert.deepEqual(unsure.broker.results(), []);
    const never = setUp({ deregister: true });
    never.client.start();
    await never.client.stop();
    assert.deepEqual(never.broker.results(), []);
    assert.equal(deregistrationResult({}, 1)['status'], 1);
  });

  test('a client that stops while it subscribes gives up no queue that it is about to bind', async () => {
    const made = setUp({ deregister: true });
    const { transport } = made.broker;
    let release: (() => void) | undefined;
    transport.subscribe = () =>
      new Promise((resolve) => {
        release = () => {
          release = undefined;
          resolve();
        };
      });
    // What a broker does: the queue goes with its last consumer, and binding it then ends the channel.
    transport.unsubscribe = async () => {
      if (release !== undefined) made.broker.lose();
    };
    made.client.start();
    made.broker.connect();
    await eventually(() => release !== undefined, 'the first subscription');
    const stopped = made.client.stop();
    await new Promise((resolve) => setImmediate(resolve));
    release?.();
    await stopped;
    assert.deepEqual(
      made.broker.results().map(({ check }) => (check as { name: string }).name),
      ['deregistration'],
    );
  });

  test('a check in progress is waited for', async () => {
    const made = await start();
    made.broker.request('web', { name: 'slow', command: 'sleep 0.3; echo done' });
    await made.client.stop();
    assert.equal(firstCheck(made)['output'], 'done\n');
  });
});
