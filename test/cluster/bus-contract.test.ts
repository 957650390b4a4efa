// What every bus promises, on a real nats-server and on the one in memory.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { realClock } from '../../src/actors/runtime/time/clock.ts';
import { type Bus, BusError, type BusErrorCode, type BusMessage } from '../../src/cluster/bus.ts';
import { maxWaitingRequests } from '../../src/cluster/limits.ts';
import { MemoryBusServer } from '../../src/cluster/memory-bus.ts';
import { openNatsBus } from '../../src/cluster/nats-bus.ts';
import { matchesSubject } from '../../src/cluster/subjects.ts';
import { eventually } from '../eventually.ts';
import { seeded } from '../property.ts';
import { natsSkipReason, startNats } from './nats-server.ts';

interface World {
  connect(name: string): Promise<Bus>;
  /** As `kill -9` does. */
  kill(): Promise<void>;
  start(): Promise<void>;
  readonly reports: string[];
}

const maxPayloadBytes = 65_536;

const inMemory = async (t: TestContext): Promise<World> => {
  const reports: string[] = [];
  const report = (_level: string, message: string): unknown => reports.push(message);
  const server = new MemoryBusServer({ clock: realClock, random: seeded(1), maxPayloadBytes, report });
  return {
    reports,
    async connect(name) {
      const bus = server.connect(name);
      t.after(() => bus.drain(0));
      return bus;
    },
    kill: async () => server.stop(),
    start: async () => server.start(),
  };
};

const onNats = async (t: TestContext): Promise<World> => {
  const reports: string[] = [];
  const server = await startNats([`max_payload: ${maxPayloadBytes}`]);
  t.after(() => server.stop());
  const report = (_level: string, message: string): unknown => reports.push(message);
  return {
    reports,
    async connect(name) {
      const bus = await openNatsBus({ urls: [server.url], name, clock: realClock, report });
      t.after(() => bus.drain(0));
      return bus;
    },
    kill: server.kill,
    start: server.start,
  };
};

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (data: Uint8Array): string => new TextDecoder().decode(data);
const fails = (code: BusErrorCode) => (error: unknown) => {
  assert.ok(error instanceof BusError, String(error));
  assert.equal(error.code, code);
  return true;
};
const echo = (message: BusMessage): void => message.respond(bytes(`echo ${text(message.data)}`));

/** Resolves when the server knows the subscriptions of this client. */
const settled = async (bus: Bus): Promise<void> => {
  const stop = bus.subscribe('settled.probe', (message) => message.respond(message.data));
  await bus.request('settled.probe', bytes('?'), 5_000);
  stop();
};

const contract = (
  kind: string,
  open: (t: TestContext) => Promise<World>,
  options: { skip: string | false },
): void => {
  test(`${kind}: a message reaches all who listen, in the order of sending`, options, async (t) => {
    const world = await open(t);
    const [sender, one, other] = [
      await world.connect('a'),
      await world.connect('b'),
      await world.connect('c'),
    ];
    const heard: string[][] = [[], [], []];
    one.subscribe('mon.x.changed', ({ data }) => void heard[0]?.push(text(data)));
    one.subscribe('mon.*.changed', ({ data }) => void heard[1]?.push(text(data)));
    const stop = other.subscribe('mon.>', ({ data }) => void heard[2]?.push(text(data)));
    await Promise.all([settled(one), settled(other)]);
    const sent = Array.from({ length: 200 }, (_, index) => `${index}`);
    for (const each of sent) sender.publish('mon.x.changed', bytes(each));
    sender.publish('mon.x', bytes('to mon.> alone'));
    await eventually('all to arrive', () => heard[2]?.length === 201 && heard[1]?.length === 200);
    assert.deepEqual(heard, [sent, sent, [...sent, 'to mon.> alone']]);
    stop();
    await settled(other);
    sender.publish('mon.x.changed', bytes('later'));
    await eventually('the last one', () => heard[0]?.length === 201);
    assert.equal(heard[2]?.length, 201);
  });

  test(`${kind}: a request is answered, refused at once, or ends in time`, options, async (t) => {
    const world = await open(t);
    const [asker, owner] = [await world.connect('a'), await world.connect('b')];
    owner.subscribe('echo', echo);
    owner.subscribe('silent', () => {});
    await settled(owner);
    const words = Array.from({ length: 100 }, (_, index) => `${index}`);
    const answers = await Promise.all(words.map((word) => asker.request('echo', bytes(word), 10_000)));
    assert.deepEqual(
      answers.map(text),
      words.map((word) => `echo ${word}`),
    );
    await assert.rejects(asker.request('nobody', bytes('?'), 60_000), fails('nobodyListens'));
    await assert.rejects(asker.request('silent', bytes('?'), 100), fails('timeout'));
    // A message that is no request: the answer goes nowhere.
    asker.publish('echo', bytes('no request'));
    assert.equal(text(await asker.request('echo', bytes('after'), 10_000)), 'echo after');
  });

  test(
    `${kind}: messages may have so many bytes, and so many requests may wait; one more is refused`,
    options,
    async (t) => {
      const world = await open(t);
      const [asker, owner] = [await world.connect('a'), await world.connect('b')];
      owner.subscribe('length', ({ data, respond }) => respond(bytes(`${data.length}`)));
      owner.subscribe('mirror', ({ data, respond }) => respond(data));
      owner.subscribe('silent', () => {});
      await settled(owner);
      assert.equal(asker.maxPayloadBytes, maxPayloadBytes);
      const most = new Uint8Array(maxPayloadBytes);
      assert.equal(text(await asker.request('length', most, 10_000)), `${maxPayloadBytes}`);
      assert.equal((await asker.request('mirror', most, 10_000)).length, maxPayloadBytes, 'answers, too');
      const more = new Uint8Array(maxPayloadBytes + 1);
      assert.throws(() => asker.publish('length', more), fails('tooLarge'));
      await assert.rejects(asker.request('length', more, 10_000), fails('tooLarge'));
      const waiting = Array.from({ length: maxWaitingRequests }, () =>
        asker.request('silent', bytes(''), 60_000),
      );
      const ends = Promise.allSettled(waiting);
      await assert.rejects(asker.request('length', bytes('?'), 10_000), fails('busy'));
      await asker.drain(0);
      for (const end of await ends) assert.ok(end.status === 'rejected' && fails('closed')(end.reason));
    },
  );

  test(`${kind}: a killed server ends requests at once; all goes on when it is back`, options, async (t) => {
    const world = await open(t);
    const [asker, owner] = [await world.connect('a'), await world.connect('b')];
    const states: string[] = [];
    asker.onState((state) => states.push(state));
    owner.subscribe('echo', echo);
    owner.subscribe('silent', () => {});
    await settled(owner);
    const waiting = assert.rejects(asker.request('silent', bytes('?'), 60_000), fails('disconnected'));
    await world.kill();
    await waiting;
    await eventually('the loss to be noticed', () => asker.status().state === 'reconnecting');
    await assert.rejects(asker.request('echo', bytes('?'), 60_000), fails('disconnected'));
    asker.publish('echo', bytes('lost'));
    assert.equal(asker.status().dropped, 1);
    await world.start();
    for (const bus of [asker, owner]) await eventually('connected', () => bus.status().state === 'connected');
    await settled(owner);
    assert.equal(text(await asker.request('echo', bytes('again'), 10_000)), 'echo again');
    // More than once only on a machine that stands still for seconds.
    assert.deepEqual(states.slice(0, 2), ['reconnecting', 'connected']);
    assert.equal(asker.status().reconnects, states.filter((state) => state === 'reconnecting').length);
  });

  test(`${kind}: a handler that fails is reported, and the next message is handled`, options, async (t) => {
    const world = await open(t);
    const bus = await world.connect('a');
    let count = 0;
    bus.subscribe('work', (message) => {
      count += 1;
      if (count === 1) throw new Error('thrown by the handler');
      if (count === 2) return Promise.reject(new Error('rejected by the handler'));
      return echo(message);
    });
    bus.publish('work', bytes('1'));
    bus.publish('work', bytes('2'));
    assert.equal(text(await bus.request('work', bytes('3'), 10_000)), 'echo 3');
    await eventually('both reports', () => world.reports.length === 2);
    assert.match(world.reports[0] ?? '', /^a message on work could not be handled: .*thrown by the handler/);
    assert.match(world.reports[1] ?? '', /rejected by the handler/);
  });

  test(`${kind}: draining lets handlers finish and answer, then nothing is taken`, options, async (t) => {
    const world = await open(t);
    const [asker, owner] = [await world.connect('a'), await world.connect('b')];
    let finish = (): void => {};
    const work = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let begun = 0;
    owner.subscribe('work', async (message) => {
      begun += 1;
      await work;
      echo(message);
    });
    await settled(owner);
    const answer = asker.request('work', bytes('last'), 60_000);
    await eventually('the handler to begin', () => begun > 0);
    const drained = owner.drain(60_000);
    await eventually('the subscription to end', () =>
      asker.request('work', bytes('late'), 100).then(
        () => false,
        (error: BusError) => error.code === 'nobodyListens',
      ),
    );
    finish();
    assert.equal(text(await answer), 'echo last');
    await drained;
    assert.equal(owner.status().state, 'closed');
    assert.throws(() => owner.publish('work', bytes('')), fails('closed'));
    await assert.rejects(owner.request('work', bytes(''), 1_000), fails('closed'));
  });
};

contract('memory', inMemory, { skip: false });
contract('nats', onNats, { skip: natsSkipReason() });

test('subjects match patterns as in NATS', () => {
  const cases: readonly [pattern: string, subject: string, matches: boolean][] = [
    ['mon.a.b', 'mon.a.b', true],
    ['mon.a.b', 'mon.a', false],
    ['mon.a', 'mon.a.b', false],
    ['mon.*.b', 'mon.a.b', true],
    ['mon.*', 'mon.a.b', false],
    ['mon.>', 'mon.a.b', true],
    ['mon.>', 'mon', false],
  ];
  for (const [pattern, subject, matches] of cases)
    assert.equal(matchesSubject(pattern, subject), matches, `${pattern} ${subject}`);
});
