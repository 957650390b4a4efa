// Where the actors of a family stand in the supervision tree.
//
//   root         a fixed child of the root
//   group        one supervisor for all of them: they have nothing to do with each other
//   partitioned  a supervisor for each subject (an entity, say), those spread over partitions by a hash: the failures of one
//                subject stay inside its supervisor, and a fault that many share stays inside a partition
import { createHash } from 'node:crypto';
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

export type FindSupervisor = (id: ActorId) => Supervisor | undefined;

export const subjectId = (subject: string): ActorId => `tree:${subject}`;

const partitionOf = (id: ActorId, partitions: number, subject: string): ActorId =>
  `${id}/${createHash('md5').update(subject).digest().readUInt32LE(0) % partitions}`;

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
  const result = find(partitionOf(place.id, place.partitions, subject))?.startSupervisor(unrelated(id));
  return result?.started === true ? result.supervisor : undefined;
};

/** Stops everything about a subject. */
export const stopSubject = async <TIdentity>(
  place: Extract<Place<TIdentity>, { readonly type: 'partitioned' }>,
  subject: string,
  find: FindSupervisor,
): Promise<void> => {
  await find(partitionOf(place.id, place.partitions, subject))?.stopChild(subjectId(subject));
};
