// The other backends of a cluster over the bus: questions to one of them, and what all are told.
import type { Backend } from '../../actors/backend.ts';
import type { Peers } from '../../actors/reach/peers.ts';
import { answerAsks, ask } from '../../cluster/ask.ts';
import type { Bus } from '../../cluster/bus.ts';
import type { ShardOwner } from '../../cluster/forward.ts';
import { shardOf } from '../../cluster/shards.ts';
import type { subjectsOf } from '../../cluster/subjects.ts';

export interface PeersOptions {
  readonly bus: Bus;
  readonly subjects: ReturnType<typeof subjectsOf>;
  /** Of this backend. */
  readonly name: string;
  /** The names of the backends that serve, this one included. */
  readonly backends: () => readonly string[];
  readonly isMine: (shard: number) => boolean;
  /** As far as is known here; undefined while nobody is. */
  readonly ownerOf: (shard: number) => ShardOwner | undefined;
  /** What is known of the owner is out of date. */
  readonly lookUpAgain: (shard: number, epoch: number) => void;
}

/** The way out. */
export const peersOverBus = (options: PeersOptions): Peers => {
  const { bus, subjects, name, backends, isMine, ownerOf, lookUpAgain } = options;
  return {
    name,
    backends,
    isHere: (namespace, about) => isMine(shardOf(namespace, about)),
    homeOf: (namespace, about) => ownerOf(shardOf(namespace, about))?.backend,
    lookUpAgain(namespace, about) {
      const shard = shardOf(namespace, about);
      lookUpAgain(shard, ownerOf(shard)?.epoch ?? 0);
    },
    ask: (backend, question, withinMs) => ask(bus, subjects.ask(backend), question, withinMs),
  };
};

/** The way in. Returns what ends it. */
export const answerPeers = (
  { bus, subjects, name }: Pick<PeersOptions, 'bus' | 'subjects' | 'name'>,
  { answers }: Pick<Backend, 'answers'>,
): (() => void) => answerAsks(bus, subjects.ask(name), answers);
