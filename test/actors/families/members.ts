// One member of each durable family for the contract test: the actor its fixtures are records of, a step that changes what is
// stored, and a message it crashes on.
import assert from 'node:assert/strict';
import type { Family } from '../../../src/actors/families/kit/family.ts';
import { awaitReceipt } from '../../../src/actors/outcomes/receipts.ts';
import type { ActorMessage } from '../../../src/actors/runtime/contract.ts';
import type { CheckContext } from '../../../src/machines/check/check-facts.ts';
import type { ClientContext } from '../../../src/machines/client/client-facts.ts';
import type { EntityContext } from '../../../src/machines/entity/entity-facts.ts';
import type { JobContext } from '../../../src/machines/job/job-machine.ts';
import { fixtureMember } from '../../machines/fixture-member.ts';
import { idOf, sampleEvent, sampleKeepalive } from '../../machines/samples.ts';
import type { World } from '../engine/world.ts';

interface Live {
  readonly value: unknown;
  readonly context: unknown;
}

export interface DurableMember {
  readonly identity: unknown;
  /** Its fixtures are all the same story, told by programs of different ages. */
  verifyRestored(live: Live, world: World): void;
  /** Changes what is stored. */
  advance(world: World, id: string): Promise<void>;
  /** A message whose handling throws. */
  readonly crash: ActorMessage;
  /** After a restart waits are planned anew; the rest is as it was. */
  verifySame(after: unknown, before: unknown): void;
}

/** The member that the fixture of a family describes. */
export const memberFromFixture = ({ id, durable }: Family, state: unknown): DurableMember => {
  const member = fixtureMember(id);
  const [advance] = member?.facts ?? [];
  assert.ok(member && advance, `neither members.ts nor the fixture of ${id} describes a member`);
  const identity = durable?.identityOf(member.key);
  return {
    identity,
    verifyRestored: (live) => assert.deepEqual(live, state),
    advance: (world, actor) => tell(world, actor, { nowMs: world.nowMs, ...advance } as ActorMessage),
    crash: crashing(advance.type, 'nowMs'),
    verifySame: (after, before) => assert.deepEqual(after, before),
  };
};

const tell = (world: World, id: string, message: ActorMessage): Promise<void> =>
  world.drive(awaitReceipt((receipt) => world.backend.runtime.registry.tell(id, message, receipt)));

const without = (live: unknown, ...fields: readonly string[]): unknown => {
  const { value, context } = live as { value: unknown; context: Record<string, unknown> };
  const kept = Object.entries(context).filter(([name]) => !fields.includes(name));
  return { value, context: Object.fromEntries(kept) };
};

const sameBut =
  (...fields: readonly string[]) =>
  (after: unknown, before: unknown): void =>
    assert.deepEqual(without(after, ...fields), without(before, ...fields));

/** `reading` throws when the machine looks at it. */
const crashing = (type: string, reading: string): ActorMessage =>
  Object.defineProperty({ type }, reading, {
    get() {
      throw new Error('a crash on purpose');
    },
  });

export const members: Readonly<Record<string, DurableMember>> = {
  check: {
    identity: { namespace: 'default', entity: 'web-01', check: 'cpu' },
    verifyRestored({ value, context }, world) {
      const { event, ttlAtMs } = context as CheckContext;
      assert.deepEqual(value, {
        result: 'failing',
        acknowledgement: 'unacknowledged',
        ttl: 'waiting',
        delivery: 'idle',
      });
      assert.equal(event?.check.history?.length, 3);
      assert.equal(ttlAtMs, world.nowMs - 10_000 + 3_600_000);
      // What was under way when the record was written is delivered again.
      assert.equal(world.told.at(-1)?.output, 'run 2');
    },
    advance: (world, id) =>
      tell(world, id, {
        type: 'result.received',
        nowMs: world.nowMs,
        silenced: [],
        event: sampleEvent({ status: 2, id: idOf(77), check: { ttl: 3600, output: 'since then' } }),
      } as ActorMessage),
    crash: crashing('result.received', 'silenced'),
    verifySame: sameBut('ttlAtMs'),
  },
  entity: {
    identity: { namespace: 'default', name: 'web-01' },
    verifyRestored({ value, context }) {
      const { entity, silentMs } = context as EntityContext;
      // The time while nobody listened counts as silence.
      assert.equal(value, 'registered');
      assert.deepEqual(entity.subscriptions, ['entity:web-01']);
      assert.equal(silentMs, 10_000);
    },
    advance: (world, id) =>
      tell(world, id, {
        type: 'keepalive.received',
        nowMs: world.nowMs,
        newId: idOf(78),
        event: sampleKeepalive({ id: idOf(79), entity: { labels: {}, user: 'since-then' } }),
      } as ActorMessage),
    crash: crashing('keepalive.received', 'newId'),
    verifySame: sameBut('deadlineAtMs', 'silentMs'),
  },
  client: {
    identity: { name: 'old-01' },
    verifyRestored({ value, context }) {
      const { record, via } = context as ClientContext;
      assert.deepEqual(value, { keepalive: 'healthy', signature: 'unsigned' });
      assert.deepEqual([record?.['address'], via], ['10.0.0.7', 'websocket']);
    },
    advance: (world, id) =>
      tell(world, id, {
        type: 'client.declared',
        record: { name: 'old-01', address: '10.0.0.8', subscriptions: ['since-then'] },
        nowMs: world.nowMs,
      } as ActorMessage),
    crash: crashing('keepalive.received', 'signature'),
    verifySame: sameBut('deadlineAtMs'),
  },
  job: {
    identity: { namespace: 'default', id: '5d0c6f7e' },
    verifyRestored({ value, context }) {
      assert.equal(value, 'waiting');
      assert.deepEqual((context as JobContext).events, ['web-01/cpu', 'web-01/disk']);
    },
    advance: (world, id) =>
      tell(world, id, { type: 'job.canceled', nowMs: world.nowMs, by: 'ada' } as ActorMessage),
    crash: crashing('job.stepped', 'from'),
    verifySame: sameBut(),
  },
};
