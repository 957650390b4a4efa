// Every statechart with a title, sorted by it: those of the actor families, those of the agent, and those of a cluster. For the
// inspector, the reference and the tests.
import type { AnyStateMachine } from 'xstate';
import { families } from '../actors/families/table.ts';
import { agentConnectionMachine } from '../machines/agent-connection/agent-connection-machine.ts';
import { deliveryQueueMachine } from '../machines/delivery-queue/delivery-queue-machine.ts';
import { executionMachine } from '../machines/execution/execution-machine.ts';
import { shardMachine } from '../machines/shard/shard-machine.ts';

export interface TitledMachine {
  readonly title: string;
  readonly machine: AnyStateMachine;
}

const ofFamilies: readonly TitledMachine[] = families.map(({ id, title, machine }) => ({
  title: `${id.charAt(0).toUpperCase()}${id.slice(1)}: ${title}`,
  machine,
}));

const ofAgent: readonly TitledMachine[] = [
  { title: "Agent connection: an agent's connection to its backends", machine: agentConnectionMachine },
  {
    title: 'Delivery queue: events of an agent that the backend has not acknowledged',
    machine: deliveryQueueMachine,
  },
  { title: 'Execution: one run of one check on an agent', machine: executionMachine },
];

const ofCluster: readonly TitledMachine[] = [
  { title: 'Shard: one shard as one backend of a cluster holds it', machine: shardMachine },
];

export const allMachines: readonly TitledMachine[] = [...ofFamilies, ...ofAgent, ...ofCluster].sort(
  (one, other) => (one.title < other.title ? -1 : 1),
);
