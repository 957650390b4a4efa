// The supervision tree of a backend, as it is before anything runs.
//
//   backend (rest_for_one)
//   |- boot:backend  where this backend stands
//   |- circuits      one actor a handler that failed lately
//   |- silences      one actor a silence
//   |- entities      64 partitions -> one supervisor an entity -> the entity and its checks
//   |- clients       one actor a client of the earlier generation
//   |- schedules     one actor a check definition
//   `- sessions      one actor an agent connection
//
// Beside the tree, on a timer of its own: the watchdog over the schedules.

import type { SupervisorSpec } from '../runtime/contract.ts';
import { bootSpec } from './boot/boot-behaviour.ts';
import { circuitsId } from './circuit/circuits.ts';
import { clientsId } from './client/clients.ts';
import { partitionSpecs } from './entity/entity-tree.ts';
import { schedulesId } from './schedule/schedules.ts';
import { silencesId } from './silence/silences.ts';

const unrelated = (id: string): SupervisorSpec => ({
  id,
  strategy: 'one_for_one',
  whenFailing: 'quarantine',
});

export const rootSpec = (nowMs: number): SupervisorSpec => ({
  id: 'backend',
  strategy: 'rest_for_one',
  children: [
    bootSpec(nowMs),
    unrelated(circuitsId),
    unrelated(silencesId),
    { id: 'entities', strategy: 'one_for_one', children: partitionSpecs() },
    unrelated(clientsId),
    unrelated(schedulesId),
    unrelated('sessions'),
  ],
});
