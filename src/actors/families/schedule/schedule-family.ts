// The family `schedule`: one actor for each check definition. What it waits for follows from the name of the check and the
// clock, so it keeps no record of its own.
import type {
  ScheduleContext,
  ScheduleEffect,
  ScheduleFact,
} from '../../../machines/schedule/schedule-facts.ts';
import { scheduleMachine } from '../../../machines/schedule/schedule-machine.ts';
import type { CheckConfig } from '../../../model/check/check.ts';
import { defineFamily } from '../kit/family.ts';
import { maxScheduleMail } from '../kit/limits.ts';

export interface ScheduleIdentity {
  readonly namespace: string;
  readonly name: string;
  /** The definition its actor was started with. */
  readonly config: CheckConfig;
}

export interface SchedulePorts {
  /** The definition of now: a schedule that is restarted follows that one. */
  readonly config: (identity: ScheduleIdentity) => CheckConfig;
  readonly issue: (config: CheckConfig, issuedSeconds: number) => void;
}

export const scheduleFamily = defineFamily<
  ScheduleIdentity,
  ScheduleContext,
  ScheduleFact,
  ScheduleEffect,
  SchedulePorts
>({
  id: 'schedule',
  title: 'when one check definition is due',
  machine: scheduleMachine,
  mailbox: { capacity: maxScheduleMail, overflow: 'coalesce' },
  supervise: { restart: 'transient', place: { type: 'group', id: 'schedules' } },
  // A cron schedule waits for the clock on the wall, an interval for its time to pass.
  deadlines: { tick: { waitsFor: 'asked' } },
  key: ({ namespace, name }) => `${namespace}/${name}`,
  input: (identity, { config }) => ({ config: config(identity) }),
  first: (member) => ({
    type: 'check.defined',
    config: member.ports.config(member.identity),
    nowMs: member.nowMs(),
  }),
  perform(effect, actor, member) {
    member.ports.issue(effect.config, effect.issuedSeconds);
    const issued: ScheduleFact = { type: 'request.issued', nowMs: member.nowMs() };
    actor.tell(issued);
  },
});
