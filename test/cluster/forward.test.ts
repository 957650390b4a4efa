// Messages for actors that live on another backend: batches, order, outcomes, and what happens when the bus or an owner fails.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  batchHeadBytes,
  decodeBatch,
  decodeReply,
  encodeBatch,
  encodeReply,
  messageBytes,
  type Settlement,
  UnreadableBatch,
} from '../../src/cluster/batch-codec.ts';
import {
  holdMessageMs,
  maxBatchMessages,
  maxHeldBytes,
  maxHeldMessages,
  maxOutcomeCharacters,
  maxRememberedSenders,
  maxSettleMs,
} from '../../src/cluster/limits.ts';
import { doneOutcome, type ForwardReceipt } from '../../src/cluster/outcome.ts';
import { fc, seed, seeded } from '../property.ts';
import { forwardWorld, teller } from './forward-world.ts';

test('messages of one millisecond travel in one batch, in order, and each is told its own outcome', async () => {
  const world = forwardWorld(1);
  world.start('b2');
  for (const shard of [3, 200]) {
    world.own(shard, 'b2');
    world.know(shard);
  }
  let batches = 0;
  world.server.connect('watcher').subscribe('mon.test.shards.b2', () => {
    batches += 1;
  });
  world.applyWith(({ word }, receipt) =>
    receipt(
      word === 'bad' ? { type: 'invalid', detail: 'tooLarge', message: 'no room for it' } : doneOutcome,
    ),
  );
  const { tell, types, outcomes } = teller(world.forwarder());
  tell(3, 'one');
  tell(200, 'two');
  tell(3, 'bad');
  tell(3, 'four');
  await world.clock.advanceAsync(20);
  assert.deepEqual(types(), ['done', 'done', 'invalid', 'done']);
  assert.deepEqual(outcomes.get('bad'), [{ type: 'invalid', detail: 'tooLarge', message: 'no room for it' }]);
  assert.equal(batches, 1);
  const words = world.arrivals.map(({ shard, to, word }) => `${shard} ${to} ${word}`);
  const [e3, e200] = ['check:default/e3/c', 'check:default/e200/c'];
  assert.deepEqual(words, [`3 ${e3} one`, `3 ${e3} bad`, `3 ${e3} four`, `200 ${e200} two`]);
});

test('while batches wait for their replies the next one grows, up to its limit', async () => {
  const world = forwardWorld(1, { lost: 0, doubled: 0, maxDelayMs: 0 });
  world.start('b2');
  const sizes: number[] = [];
  world.server.connect('watcher').subscribe('mon.test.shards.b2', ({ data }) => {
    sizes.push(decodeBatch(data).messages.length);
  });
  for (let shard = 0; shard < 256; shard += 1) {
    world.own(shard, 'b2');
    world.know(shard);
  }
  const { tell, types } = teller(world.forwarder());
  const count = 3_000;
  for (let index = 0; index < count; index += 1) tell(index % 256, `${index}`);
  await world.clock.advanceAsync(100);
  assert.deepEqual(
    types(),
    Array.from({ length: count }, () => 'done'),
  );
  assert.ok(
    sizes.every((size) => size <= maxBatchMessages),
    sizes.join(),
  );
  assert.ok(sizes.length <= 2 + count / 200, `${sizes.length} batches`);
  for (let shard = 0; shard < 256; shard += 1) {
    const numbers = world.arrivals.filter((each) => each.shard === shard).map(({ word }) => Number(word));
    assert.deepEqual(
      numbers,
      [...numbers].sort((a, b) => a - b),
    );
  }
});

test('a batch holds no more bytes than the bus takes; a larger message is refused with what to do', async () => {
  const world = forwardWorld(1);
  world.start('b2');
  world.own(1, 'b2');
  world.know(1);
  const forwarder = world.forwarder();
  const { maxPayloadBytes } = world.buses.get('edge') ?? assert.fail();
  const to = 'check:x';
  const most = maxPayloadBytes - batchHeadBytes('edge.1') - messageBytes(to, new Uint8Array(0));
  const told: string[] = [];
  for (const size of [most, most, most + 1])
    forwarder.tell(1, to, new Uint8Array(size), ({ type, message }) => told.push(`${type} ${message}`));
  await world.clock.advanceAsync(50);
  assert.equal(
    told[0],
    `invalid a message of ${most + 1 + messageBytes(to, new Uint8Array(0))} bytes is larger than the NATS server takes (max_payload ${maxPayloadBytes}): raise it there`,
  );
  assert.deepEqual(told.slice(1), ['done ', 'done ']);
});

test('so many messages for other backends are held, and so many bytes; one more is told busy', async () => {
  const world = forwardWorld(1);
  const forwarder = world.forwarder();
  const outcomes: string[] = [];
  const receipt: ForwardReceipt = ({ type, message }) => outcomes.push(`${type} ${message}`);
  const small = Buffer.from('x');
  for (let index = 0; index < maxHeldMessages; index += 1) forwarder.tell(index % 256, 'a', small, receipt);
  assert.deepEqual(outcomes, []);
  forwarder.tell(0, 'a', small, receipt);
  assert.deepEqual(outcomes, [`busy ${maxHeldMessages} messages wait for other backends already`]);
  assert.equal(forwarder.held.messages, maxHeldMessages);
  forwarder.close();
  assert.equal(outcomes.length, maxHeldMessages + 1);
  assert.equal(forwarder.held.messages, 0);
  assert.equal(forwarder.held.bytes, 0);
  const other = forwardWorld(2).forwarder();
  const large = new Uint8Array(1_000_000);
  const fit = Math.floor(maxHeldBytes / messageBytes('a', large));
  outcomes.length = 0;
  for (let index = 0; index <= fit; index += 1) other.tell(0, 'a', large, receipt);
  assert.deepEqual(outcomes, [`busy ${maxHeldBytes} bytes wait for other backends already`]);
  other.close();
});

test('a backend that does not own the shard says so; the sender looks again and offers it to the owner', async () => {
  const world = forwardWorld(1);
  for (const backend of ['b2', 'b3']) world.start(backend);
  world.own(7, 'b2');
  world.know(7);
  world.own(7, 'b3');
  const { tell, types } = teller(world.forwarder());
  tell(7, 'first');
  tell(7, 'second');
  await world.clock.advanceAsync(20);
  assert.deepEqual(types(), ['done', 'done']);
  assert.deepEqual(
    world.arrivals.map(({ backend, word }) => `${backend} ${word}`),
    ['b3 first', 'b3 second'],
  );
});

test('a reply that is lost is asked for again, and the message is applied once', async () => {
  const world = forwardWorld(1);
  world.start('b2');
  world.own(7, 'b2');
  world.know(7);
  world.applyWith((_arrival, receipt) => {
    // From here on nothing arrives for a while, the reply included.
    world.server.faults = { lost: 1, doubled: 0, maxDelayMs: 0 };
    receipt(doneOutcome);
  });
  const { tell, types } = teller(world.forwarder());
  tell(7, 'once');
  await world.clock.advanceAsync(4_000);
  assert.deepEqual(types(), ['']);
  world.server.faults = { lost: 0, doubled: 0, maxDelayMs: 0 };
  await world.clock.advanceAsync(2_000);
  assert.deepEqual(types(), ['done']);
  assert.equal(world.arrivals.length, 1);
});

test('a slow commit holds up its own shard alone, and its outcome is told when it comes', async () => {
  const world = forwardWorld(1);
  world.start('b2');
  for (const shard of [1, 2]) {
    world.own(shard, 'b2');
    world.know(shard);
  }
  const slow: ForwardReceipt[] = [];
  world.applyWith(({ word }, receipt) => {
    if (word === 'slow') slow.push(receipt);
    else receipt(doneOutcome);
  });
  const { tell, types } = teller(world.forwarder());
  tell(1, 'slow');
  tell(1, 'behind it');
  tell(2, 'beside it');
  await world.clock.advanceAsync(maxSettleMs + 20);
  assert.deepEqual(types(), ['', 'done', 'done']);
  tell(1, 'later');
  await world.clock.advanceAsync(100);
  assert.deepEqual(types(), ['', 'done', 'done', '']);
  await world.clock.advanceAsync(10_000);
  for (const receipt of slow) receipt(doneOutcome);
  await world.clock.advanceAsync(2_000);
  assert.deepEqual(types(), ['done', 'done', 'done', 'done']);
  assert.equal(slow.length, 1);
});

test('nobody takes the message: the caller is told in the end that the outcome is unknown', async () => {
  const world = forwardWorld(1);
  world.own(1, 'b2');
  world.know(1);
  const { tell, types, outcomes } = teller(world.forwarder());
  tell(1, 'given up');
  await world.clock.advanceAsync(holdMessageMs - 2_000);
  assert.deepEqual(types(), ['']);
  await world.clock.advanceAsync(4_000);
  assert.deepEqual(types(), ['outage']);
  assert.match(outcomes.get('given up')?.[0]?.message ?? '', /^no backend took a message of shard 1 in time/);
  world.start('b2');
  tell(1, 'taken');
  await world.clock.advanceAsync(20);
  assert.deepEqual(types(), ['outage', 'done']);
});

test('a broken connection does not wait for timeouts: all is offered again when it is back', async () => {
  const world = forwardWorld(1);
  world.start('b2');
  world.own(1, 'b2');
  world.know(1);
  world.applyWith(() => {});
  const { tell, types } = teller(world.forwarder());
  tell(1, 'under way');
  await world.clock.advanceAsync(10);
  world.server.stop();
  await world.clock.advanceAsync(3_000);
  tell(1, 'told meanwhile');
  assert.equal(world.arrivals.length, 1);
  world.applyWith((_arrival, receipt) => receipt(doneOutcome));
  world.start('b2');
  world.server.start();
  await world.clock.advanceAsync(20);
  assert.deepEqual(types(), ['done', 'done']);
});

test('an owner forgets the senders it heard of least lately', async () => {
  const world = forwardWorld(1);
  world.start('b2');
  world.own(1, 'b2');
  const bus = world.server.connect('many');
  const send = async (sender: string): Promise<void> => {
    const messages = [{ shard: 1, seq: 1, to: 'a', payload: Buffer.from(sender) }];
    const size = batchHeadBytes(sender) + messageBytes('a', Buffer.from(sender));
    const reply = bus.request('mon.test.shards.b2', encodeBatch({ sender, messages }, size), 1_000);
    await world.clock.advanceAsync(1);
    assert.equal(decodeReply(await reply)[0]?.type, 'settled');
  };
  for (let index = 0; index < maxRememberedSenders; index += 1) await send(`s${index}`);
  await send('s0');
  assert.equal(world.arrivals.length, maxRememberedSenders);
  await send('one more');
  await send('s0');
  assert.equal(world.arrivals.length, maxRememberedSenders + 1);
  await send('s1');
  assert.equal(world.arrivals.length, maxRememberedSenders + 2);
});

test('what can not be read is answered and reported; nothing is applied', async () => {
  const world = forwardWorld(1);
  world.start('b2');
  const bus = world.server.connect('stranger');
  for (const bytes of [[], [9, 1, 2], [1, 255, 255], [1, 0, 0, 1, 0]]) {
    const reply = bus.request('mon.test.shards.b2', Uint8Array.from(bytes), 1_000);
    await world.clock.advanceAsync(1);
    const data = await reply;
    assert.throws(() => decodeReply(data), /reads version 1 of batches/);
  }
  assert.equal(world.reports.length, 4);
  assert.match(world.reports[1] ?? '', /a batch from another backend can't be read: version 9 of batches/);
});

test('batches and replies are read as they were written; cut or damaged bytes never pass for something else', () => {
  const message = fc.record({
    shard: fc.nat(255),
    seq: fc.nat(2 ** 40),
    to: fc.string({ unit: 'grapheme', maxLength: 20 }),
    payload: fc.uint8Array({ maxLength: 50 }),
  });
  const settlement: fc.Arbitrary<Settlement> = fc.oneof(
    fc.constant<Settlement>({ type: 'pending' }),
    fc.constant<Settlement>({ type: 'forgotten' }),
    fc.nat(2 ** 40).map((epoch): Settlement => ({ type: 'notMine', epoch })),
    fc.constant<Settlement>({ type: 'settled', outcome: doneOutcome }),
    fc
      .record({
        type: fc.constantFrom('busy', 'invalid', 'poison', 'outage', 'fault'),
        detail: fc.string(),
        message: fc.string({ unit: 'grapheme', maxLength: 60 }),
      })
      .map((outcome): Settlement => ({ type: 'settled', outcome: { ...outcome } })),
  );
  fc.assert(
    fc.property(fc.string(), fc.array(message, { maxLength: 20 }), fc.nat(), (sender, messages, cut) => {
      const size = messages.reduce(
        (sum, { to, payload }) => sum + messageBytes(to, payload),
        batchHeadBytes(sender),
      );
      const bytes = encodeBatch({ sender, messages }, size);
      const read = decodeBatch(bytes);
      assert.equal(read.sender, sender);
      assert.deepEqual(
        read.messages.map((each) => ({ ...each, payload: Uint8Array.from(each.payload) })),
        messages.map((each) => ({ ...each })),
      );
      assert.throws(() => decodeBatch(bytes.subarray(0, cut % bytes.length)), UnreadableBatch);
    }),
  );
  fc.assert(
    fc.property(fc.array(settlement, { maxLength: 20 }), fc.nat(), (settlements, cut) => {
      const bytes = encodeReply(settlements, 1_048_576);
      assert.deepEqual(decodeReply(bytes), settlements);
      assert.throws(() => decodeReply(bytes.subarray(0, cut % bytes.length)), UnreadableBatch);
    }),
  );
  const long: Settlement = {
    type: 'settled',
    outcome: { type: 'fault', detail: 'internal', message: 'ä'.repeat(maxOutcomeCharacters * 2) },
  };
  const all = Array.from({ length: maxBatchMessages }, () => long);
  assert.ok(encodeReply(all, 65_536).length <= 65_536);
  const [one] = decodeReply(encodeReply([long], 65_536));
  assert.equal(one?.type === 'settled' && one.outcome.message.length, maxOutcomeCharacters);
});

const wasForgotten = (outcomes: ReturnType<typeof teller>['outcomes']): boolean =>
  [...outcomes.values()].flat().some(({ message }) => /no longer known/.test(message));

const runs = Number(process.env['MON_TEST_SEEDS'] ?? 30);

/** The words of a shard in the order in which they were first applied, without those that nobody applied. */
const firstApplied = (world: ReturnType<typeof forwardWorld>, shard: number): number[] => [
  ...new Set(world.arrivals.filter((each) => each.shard === shard).map(({ word }) => Number(word))),
];

test(`over a bus that loses, doubles and reorders, an owner applies each message once and in order (seed ${seed})`, async () => {
  for (let run = 0; run < runs; run += 1) {
    const draw = seeded(seed + run);
    const world = forwardWorld(seed + run, {
      lost: draw() * 0.4,
      doubled: draw() * 0.5,
      maxDelayMs: draw() < 0.3 ? 8_000 : draw() * 20,
    });
    world.start('b2');
    const shards = [1, 2, 3];
    for (const shard of shards) {
      world.own(shard, 'b2');
      world.know(shard);
    }
    world.applyWith(
      (_arrival, receipt) => void world.clock.setTimer(() => receipt(doneOutcome), draw() * 30),
    );
    const { tell, types, outcomes } = teller(world.forwarder());
    for (let index = 0; index < 60; index += 1) {
      tell(shards[Math.floor(draw() * shards.length)] ?? 1, `${index}`);
      if (draw() < 0.4) await world.clock.advanceAsync(draw() * 40);
    }
    await world.clock.advanceAsync(60_000);
    const told = types();
    assert.ok(
      told.every((type) => type === 'done' || type === 'outage'),
      `run ${run}: ${told.join()}`,
    );
    assert.equal(
      world.arrivals.length,
      new Set(world.arrivals.map(({ word }) => word)).size,
      `run ${run}: twice`,
    );
    assert.ok(!wasForgotten(outcomes), `run ${run}: an outcome was forgotten too early`);
    for (const [word, type] of told.entries())
      if (type === 'done')
        assert.ok(
          world.arrivals.some((each) => each.word === `${word}`),
          `run ${run}: ${word}`,
        );
    for (const shard of shards) {
      const order = firstApplied(world, shard);
      assert.deepEqual(
        order,
        [...order].sort((a, b) => a - b),
        `run ${run}: order`,
      );
    }
  }
});

test(`while shards move and owners restart, each message is settled once, and an id is applied once (seed ${seed})`, async () => {
  for (let run = 0; run < runs; run += 1) {
    const draw = seeded(seed + 1_000 + run);
    const world = forwardWorld(seed + 1_000 + run, {
      lost: draw() * 0.2,
      doubled: draw() * 0.3,
      maxDelayMs: draw() * 50,
    });
    const backends = ['b2', 'b3', 'b4'];
    const shards = [1, 2, 3, 4];
    for (const backend of backends) world.start(backend);
    const anyOf = <T>(items: readonly T[]): T => items[Math.floor(draw() * items.length)] ?? assert.fail();
    for (const shard of shards) {
      world.own(shard, anyOf(backends));
      world.know(shard);
    }
    // What is stored, as the check actor does: an id once, whoever owns the shard.
    const stored: string[] = [];
    world.applyWith(({ word }, receipt) => {
      if (!stored.includes(word)) stored.push(word);
      void world.clock.setTimer(() => receipt(doneOutcome), draw() * 20);
    });
    const { tell, types, outcomes } = teller(world.forwarder());
    for (let index = 0; index < 60; index += 1) {
      tell(anyOf(shards), `${index}`);
      const dice = draw();
      if (dice < 0.1) world.own(anyOf(shards), anyOf(backends));
      else if (dice < 0.15) world.start(anyOf(backends));
      else if (dice < 0.18) {
        world.server.stop();
        await world.clock.advanceAsync(draw() * 500);
        world.server.start();
      } else if (dice < 0.5) await world.clock.advanceAsync(draw() * 60);
    }
    await world.clock.advanceAsync(60_000);
    const told = types();
    assert.ok(
      told.every((type) => type === 'done' || type === 'outage'),
      `run ${run}: ${told.join()}`,
    );
    assert.ok(!wasForgotten(outcomes), `run ${run}: an outcome was forgotten too early`);
    for (const [word, type] of told.entries())
      if (type === 'done') assert.ok(stored.includes(`${word}`), `run ${run}: ${word} was not applied`);
    for (const shard of shards) {
      const order = firstApplied(world, shard);
      assert.deepEqual(
        order,
        [...order].sort((a, b) => a - b),
        `run ${run}: order of shard ${shard}`,
      );
    }
  }
});
