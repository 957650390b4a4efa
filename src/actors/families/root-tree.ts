// The supervision tree of a backend as it is before anything runs, made from the table of families:
//
//   backend (rest_for_one)
//   |- boot:backend  where this backend stands
//   |- circuits      one actor a handler that failed lately
//   |- silences      one actor a silence
//   |- entities      64 partitions -> one supervisor an entity -> the entity and its checks
//   |- clients       one actor a client of the earlier generation
//   |- schedules     one actor a check definition
//   |- sessions      one actor an agent connection
//   `- jobs          one actor a bulk job
import type { AnyChildSpec, ChildSpec, SupervisorSpec } from '../runtime/contract.ts';
import type { Family } from './kit/family.ts';
import { supervisorSpec } from './kit/place.ts';

/** `fixed`: the one actor of a family that stands below the root itself. */
export const rootTree = (table: readonly Family[], fixed: (family: Family) => ChildSpec): SupervisorSpec => {
  const children = new Map<string, AnyChildSpec>();
  for (const family of table) {
    const { place } = family.supervise;
    const spec = supervisorSpec(place) ?? fixed(family);
    if (!children.has(spec.id)) children.set(spec.id, spec);
  }
  return { id: 'backend', strategy: 'rest_for_one', children: [...children.values()] };
};
