// Every machine of the house with a title: what the inspector can draw, and what the tests walk through.
import type { AnyStateMachine } from 'xstate';
import { agentConnectionMachine } from './agent-connection/agent-connection-machine.ts';
import { bootMachine } from './boot/boot-machine.ts';
import { checkMachine } from './check/check-machine.ts';
import { circuitMachine } from './circuit/circuit-machine.ts';
import { clientMachine } from './client/client-machine.ts';
import { deliveryQueueMachine } from './delivery-queue/delivery-queue-machine.ts';
import { entityMachine } from './entity/entity-machine.ts';
import { executionMachine } from './execution/execution-machine.ts';
import { scheduleMachine } from './schedule/schedule-machine.ts';
import { sessionMachine } from './session/session-machine.ts';
import { silenceMachine } from './silence/silence-machine.ts';

export interface TitledMachine {
  readonly title: string;
  readonly machine: AnyStateMachine;
}

export const allMachines: readonly TitledMachine[] = [
  { title: 'Check: one check on one entity', machine: checkMachine },
  { title: 'Entity: one thing that is watched', machine: entityMachine },
  { title: 'Schedule: when one check definition is due', machine: scheduleMachine },
  { title: 'Session: one connection of one agent', machine: sessionMachine },
  { title: 'Silence: the time in which one silence holds', machine: silenceMachine },
  { title: 'Circuit: whether calls to one handler go through', machine: circuitMachine },
  { title: 'Client: one client of the earlier generation', machine: clientMachine },
  { title: 'Boot: a backend between its start and its stop', machine: bootMachine },
  { title: 'Agent connection: the line of an agent to its backends', machine: agentConnectionMachine },
  { title: 'Delivery queue: events of an agent on their way to the backend', machine: deliveryQueueMachine },
  { title: 'Execution: one run of one check on an agent', machine: executionMachine },
];
