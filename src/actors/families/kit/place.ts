// Where the actors of a family stand in the supervision tree.
//
//   root         a fixed child of the root
//   group        one supervisor for all of them: they have nothing to do with each other
//   partitioned  a supervisor for each subject (an entity, say), those spread over partitions by a hash: the failures of one
//                subject stay inside its supervisor, and a fault that many share stays inside a partition. All subjects of a
//                shard stand in one partition, so that a shard is found without a walk over all
import { shardOfKey } from '../../../cluster/shards.ts';
import type { ActorId, SupervisorSpec } from '../../runtime/contract.ts';
import type { Supervisor } from '../../runtime/supervision/supervisor.ts';

export type Place<TIdentity> =
  | { readonly type: 'root' }
  | { readonly type: 'group'; readonly id: ActorId }
  | {
      readonly type: 'partitioned';
      readonly id: ActorId;
      readonly partitions: number;
      /** What an actor is about: those about the same subject share a supervisor. */
      subject(identity: TIdentity): string;
    };

const unrelated = (id: ActorId): SupervisorSpec => ({
  id,
  strategy: 'one_for_one',
  whenFailing: 'quarantine',
});

/** The supervisor of a place, as the tree begins; undefined for children of the root itself. */
export const supervisorSpec = (place: Place<unknown>): SupervisorSpec | undefined => {
  if (place.type === 'root') return undefined;
  if (place.type === 'group') return unrelated(place.id);
  const { id, partitions } = place;
  const children = Array.from({ length: partitions }, (_, index) => unrelated(`${id}/${index}`));
  return { id, strategy: 'one_for_one', children };
};

type Partitioned = Extract<Place<unknown>, { readonly type: 'partitioned' }>;

export type FindSupervisor = (id: ActorId) => Supervisor | undefined;

export const subjectId = (subject: string): ActorId => `tree:${subject}`;

const partitionOf = (id: ActorId, partitions: number, shard: number): ActorId =>
  `${id}/${shard % partitions}`;

/** The supervisor an actor is started under, made if its subject has none yet; undefined while that is being stopped. */
export const supervisorFor = <TIdentity>(
  place: Place<TIdentity>,
  identity: TIdentity,
  find: FindSupervisor,
): Supervisor | undefined => {
  if (place.type === 'root') throw new TypeError('children of the root are fixed');
  if (place.type === 'group') return find(place.id);
  const subject = place.subject(identity);
  const id = subjectId(subject);
  const known = find(id);
  if (known !== undefined) return known;
  const result = find(partitionOf(place.id, place.partitions, shardOfKey(subject)))?.startSupervisor(
    unrelated(id),
  );
  return result?.started === true ? result.supervisor : undefined;
};

/** Stops everything about a subject. */
export const stopSubject = async <TIdentity>(
  place: Extract<Place<TIdentity>, { readonly type: 'partitioned' }>,
  subject: string,
  find: FindSupervisor,
): Promise<void> => {
  await find(partitionOf(place.id, place.partitions, shardOfKey(subject)))?.stopChild(subjectId(subject));
};

/** Stops everything about the subjects of a shard. */
export const stopShard = async (
  { id, partitions }: Pick<Partitioned, 'id' | 'partitions'>,
  shard: number,
  find: FindSupervisor,
): Promise<void> => {
  const partition = find(partitionOf(id, partitions, shard));
  if (partition === undefined) return;
  const prefix = subjectId('').length;
  const ofShard = partition.children().filter((child) => shardOfKey(child.id.slice(prefix)) === shard);
  await Promise.all(ofShard.map((child) => partition.stopChild(child.id)));
};
