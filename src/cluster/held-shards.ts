// The shards as one member holds them: a statechart each, advanced by facts; effects come back as data.
import { type EventObject, initialTransition, type SnapshotFrom, transition } from 'xstate';
import type { ShardEffect, ShardFact } from '../machines/shard/shard-facts.ts';
import { shardMachine } from '../machines/shard/shard-machine.ts';
import type { Holding } from './lease-plan.ts';

interface Held {
  readonly snapshot: SnapshotFrom<typeof shardMachine> | undefined;
  readonly holding: Holding;
  readonly isGivingBack: boolean;
}

export interface HeldShards {
  /** The effects on the shard, in order. */
  tell(shard: number, fact: ShardFact): readonly ShardEffect[];
  holding(shard: number): Holding;
  /** Of its last lease; 0 before the first. */
  epoch(shard: number): number;
  /** Its actors are gone, and its lease is to be released. */
  isGivingBack(shard: number): boolean;
  holdings(): readonly Holding[];
}

interface Planned {
  readonly type: string;
  readonly params?: unknown;
}

const emitted = ({ type, params }: Planned): readonly ShardEffect[] =>
  type === 'xstate.emit' ? [(params as { readonly event: EventObject }).event as ShardEffect] : [];

const notYet: Held = { snapshot: undefined, holding: 'foreign', isGivingBack: false };

export const createHeldShards = (count: number): HeldShards => {
  // Most shards of a large cluster are never held here.
  const shards = Array.from({ length: count }, () => notYet);
  const at = (shard: number): Held => {
    const held = shards[shard];
    if (held === undefined) throw new RangeError(`shard must be 0 to ${count - 1} (got ${shard})`);
    return held;
  };
  return {
    tell(shard, fact) {
      const before = at(shard).snapshot ?? initialTransition(shardMachine, { shard })[0];
      const [snapshot, actions] = transition(shardMachine, before, fact);
      const { value } = snapshot;
      shards[shard] = {
        snapshot,
        holding: typeof value === 'string' ? value : 'handingOver',
        isGivingBack: snapshot.matches({ handingOver: 'givingBack' }),
      };
      return (actions as unknown as readonly Planned[]).flatMap(emitted);
    },
    holding: (shard) => at(shard).holding,
    epoch: (shard) => at(shard).snapshot?.context.epoch ?? 0,
    isGivingBack: (shard) => at(shard).isGivingBack,
    holdings: () => shards.map(({ holding }) => holding),
  };
};
