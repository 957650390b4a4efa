// The family `boot`: one actor, which leads this backend from its start to its stop. Who asks for a step waits for its receipt:
// that is held until the step is done.
import {
  type BootContext,
  type BootEffect,
  type BootFact,
  type BootInput,
  bootMachine,
  type RebuildCounts,
} from '../../../machines/boot/boot-machine.ts';
import type { LiveActor, Receipt } from '../../runtime/contract.ts';
import { asError } from '../../runtime/inspection/facts.ts';
import { defineFamily, type Member } from '../kit/family.ts';
import { maxBootMail } from '../kit/limits.ts';

/** The steps of a backend. One that rejects ends it. */
export interface BootPorts {
  readonly rebuild: () => Promise<RebuildCounts>;
  readonly beginWork: () => Promise<void>;
  readonly drain: () => Promise<void>;
  readonly failed: (error: string) => void;
}

type BootMember = Member<BootInput, BootPorts>;

export const bootFamily = defineFamily<BootInput, BootContext, BootFact, BootEffect, BootPorts>({
  id: 'boot',
  title: 'this backend between its start and its stop',
  machine: bootMachine,
  mailbox: { capacity: maxBootMail, overflow: 'dropOldest' },
  supervise: { restart: 'temporary', place: { type: 'root' } },
  deadlines: {},
  key: () => 'backend',
  input: ({ nowMs }) => ({ nowMs }),
  perform(effect, actor, member) {
    const { ports } = member;
    const at = (): { readonly nowMs: number } => ({ nowMs: member.nowMs() });
    switch (effect.type) {
      case 'rebuild.begin':
        return take(ports.rebuild(), actor, member, (counts) => ({
          type: 'rebuild.finished',
          ...at(),
          ...counts,
        }));
      case 'work.begin':
        return take(ports.beginWork(), actor, member);
      case 'drain.begin':
        return take(ports.drain(), actor, member, () => ({ type: 'drain.finished', ...at() }));
      case 'boot.failed':
        return ports.failed(effect.error);
    }
  },
});

/** Tells the actor the outcome of a step, then the caller. */
const take = <T>(
  step: Promise<T>,
  actor: LiveActor,
  member: BootMember,
  finished?: (result: T) => BootFact,
): void => {
  const settle = actor.holdReceipt();
  const tell = (fact: BootFact, told: Receipt): void => actor.tell(fact, told);
  step.then(
    (result) => {
      if (finished === undefined) settle({ type: 'done' });
      else tell(finished(result), settle);
    },
    (thrown: unknown) => {
      const error = asError(thrown);
      tell({ type: 'fault.reported', nowMs: member.nowMs(), error: error.message }, () =>
        settle({ type: 'fault', error }),
      );
    },
  );
};
