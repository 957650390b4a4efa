// The shard machine: one shard as one backend of a cluster holds it. The lease in the store says who owns the shard; each
// taking has a new epoch. The machine follows what was read of the lease, and never goes back to a lease that ended.
//   foreign          a lease of its own: one it claimed, or a late claim that took effect after all
//   taking           what became of the claim
//   loading          the actors
//   owned            another member that should own the shard, the stop of this backend, or the loss of the lease
//   handingOver
//     stopping       the actors, and what they are writing
//     givingBack     the lease to be seen released
//   lost             the actors to be gone
import { assign, emit, setup } from 'xstate';
import type { ShardContext, ShardEffect, ShardFact } from './shard-facts.ts';

interface ShardInput {
  readonly shard: number;
}

interface Told {
  readonly context: ShardContext;
  readonly event: ShardFact;
}

const isNewlyMine = ({ context, event }: Told): boolean =>
  event.type === 'lease.seen' && event.isMine && event.epoch > context.epoch;

/** A read may be older than what this backend knows: an earlier epoch says nothing. */
const isTakenAway = ({ context, event }: Told): boolean =>
  event.type === 'lease.seen' &&
  (event.epoch > context.epoch || (event.epoch === context.epoch && !event.isMine));

const isOfThisLease = ({ context, event }: Told): boolean =>
  'epoch' in event && event.epoch === context.epoch;

const machine = setup({
  types: {
    context: {} as ShardContext,
    events: {} as ShardFact,
    emitted: {} as ShardEffect,
    input: {} as ShardInput,
  },
  guards: { isNewlyMine, isTakenAway, isOfThisLease },
  actions: {
    noteLease: assign(({ context, event }) => ({
      epoch: event.type === 'lease.seen' ? event.epoch : context.epoch,
    })),
    load: emit(({ context }) => ({ type: 'shard.load', epoch: context.epoch })),
    stop: emit(({ context }) => ({ type: 'shard.stop', epoch: context.epoch })),
    drop: emit(({ context }) => ({ type: 'shard.drop', epoch: context.epoch })),
  },
});

const taking = { guard: 'isNewlyMine', target: '#shard.loading', actions: ['noteLease', 'load'] } as const;
const stopping = { target: '#shard.handingOver.stopping', actions: 'stop' } as const;
const losing = {
  'lease.seen': { guard: 'isTakenAway', target: '#shard.lost', actions: 'drop' },
  'member.lost': { target: '#shard.lost', actions: 'drop' },
} as const;

export const shardMachine = machine.createMachine({
  id: 'shard',
  initial: 'foreign',
  description: 'One shard as one backend of a cluster holds it.',
  context: ({ input }) => ({ shard: input.shard, epoch: 0 }),
  meta: {
    events: {
      'lease.claimed': 'This backend asked for the lease.',
      'lease.seen': 'The store was read: who holds the lease, and with which epoch.',
      'shard.loaded': 'The records were read and the actors run.',
      'shard.loadFailed': 'The records could not be read.',
      'shard.unwanted': 'Another member should own the shard, or this backend is about to stop.',
      'shard.stopped': 'The actors are gone.',
      'member.lost': 'The other members declared this backend dead.',
    },
  },
  states: {
    foreign: {
      description: 'Another member owns it, or none.',
      on: { 'lease.claimed': 'taking', 'lease.seen': taking },
    },
    taking: {
      description: 'The lease is claimed; the next read tells who has it.',
      on: { 'lease.seen': [taking, { target: 'foreign' }], 'member.lost': 'foreign' },
    },
    loading: {
      description: 'The lease is held; records are read and actors started.',
      on: {
        ...losing,
        'shard.loaded': { guard: 'isOfThisLease', target: 'owned' },
        'shard.loadFailed': { guard: 'isOfThisLease', target: 'handingOver.givingBack' },
        'shard.unwanted': stopping,
      },
    },
    owned: {
      description: 'Messages are accepted.',
      on: { ...losing, 'shard.unwanted': stopping },
    },
    handingOver: {
      description: 'Nothing new is accepted; the lease goes back once everything is written.',
      initial: 'stopping',
      states: {
        stopping: {
          description: 'The actors finish what they have and stop.',
          on: { ...losing, 'shard.stopped': { guard: 'isOfThisLease', target: 'givingBack' } },
        },
        givingBack: {
          description:
            'The lease is being released. It may be gone already, so the shard is never resumed under it.',
          on: {
            'lease.seen': { guard: 'isTakenAway', target: '#shard.foreign' },
            'member.lost': '#shard.foreign',
          },
        },
      },
    },
    lost: {
      description: 'The lease is gone while actors run; they are stopped at once.',
      on: { 'shard.stopped': { guard: 'isOfThisLease', target: 'foreign' } },
    },
  },
});
