// The boot actor: says where this backend stands between its start and its stop, for those who look on. The composition
// root does the work and tells it what happened.
import { type BootFact, bootMachine } from '../../../machines/boot/boot-machine.ts';
import type { ActorId, ChildSpec } from '../../runtime/contract.ts';
import type { Runtime } from '../../runtime/runtime.ts';

export const bootId: ActorId = 'boot:backend';

const maxBootMail = 64;

export const bootSpec = (nowMs: number): ChildSpec => ({
  id: bootId,
  restart: 'temporary',
  behaviour: {
    machine: bootMachine,
    mailbox: { capacity: maxBootMail, overflow: 'dropOldest' },
    begin: () => ({ input: { nowMs } }),
    perform: () => {},
  },
});

export const tellBoot = (runtime: Runtime, fact: BootFact): void => runtime.registry.tell(bootId, fact);
