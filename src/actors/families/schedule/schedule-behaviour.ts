// The schedule actor: makes the schedule machine live for one check definition. What it waits for follows from the name
// of the check and the clock, so it keeps no record of its own.
import type { ScheduleEffect, ScheduleFact } from '../../../machines/schedule/schedule-facts.ts';
import { scheduleMachine } from '../../../machines/schedule/schedule-machine.ts';
import type { CheckConfig } from '../../../model/check.ts';
import type { Behaviour } from '../../runtime/contract.ts';
import { maxScheduleMail } from '../../runtime/limits.ts';

export interface SchedulePorts {
  readonly nowMs: () => number;
  /** The definition of now: a schedule that is restarted follows that one. */
  readonly config: () => CheckConfig;
  readonly issue: (config: CheckConfig, issuedSeconds: number) => void;
}

export const scheduleBehaviour = (ports: SchedulePorts): Behaviour<ScheduleEffect> => ({
  machine: scheduleMachine,
  mailbox: { capacity: maxScheduleMail, overflow: 'coalesce' },
  begin: () => ({ input: { config: ports.config() } }),
  firstMessage: () =>
    ({ type: 'check.defined', config: ports.config(), nowMs: ports.nowMs() }) satisfies ScheduleFact,
  perform: (effect, actor) => {
    switch (effect.type) {
      case 'deadline.set':
        return actor.setDeadline(effect.name, effect.atMs, { anchor: effect.anchor });
      case 'deadline.clear':
        return actor.clearDeadline(effect.name);
      case 'request.issue':
        ports.issue(effect.config, effect.issuedSeconds);
        return actor.tell({ type: 'request.issued', nowMs: ports.nowMs() } as ScheduleFact);
    }
  },
});
