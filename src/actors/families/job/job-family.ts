// The family `job`: one actor for each bulk job. Its record holds the events and how far it is, so that a restart goes on there.
import {
  type JobContext,
  type JobEffect,
  type JobFact,
  jobMachine,
  jobVersion,
  restoreJob,
} from '../../../machines/job/job-machine.ts';
import { contextOf } from '../../runtime/inspection/snapshot.ts';
import { defineFamily } from '../kit/family.ts';
import { keyParts } from '../kit/keys.ts';
import { maxJobMail } from '../kit/limits.ts';

export interface JobIdentity {
  readonly namespace: string;
  readonly id: string;
}

export interface JobPorts {
  /** Does the step that begins with this event, and tells the actor. Never throws. */
  readonly step: (identity: JobIdentity, context: JobContext, from: number) => void;
  readonly restored: (identity: JobIdentity) => void;
  readonly forgotten: (identity: JobIdentity) => void;
}

const prefix = 'job/';

export const jobFamily = defineFamily<JobIdentity, JobContext, JobFact, JobEffect, JobPorts>({
  id: 'job',
  title: 'one thing that is done to many events',
  machine: jobMachine,
  mailbox: { capacity: maxJobMail, overflow: 'refuse' },
  supervise: { restart: 'transient', place: { type: 'group', id: 'jobs' } },
  durable: {
    kind: 'system',
    prefix,
    version: jobVersion,
    restore: restoreJob,
    identityOf(key) {
      const [namespace, id] = keyParts(key.slice(prefix.length), 2);
      return { namespace, id };
    },
  },
  deadlines: { begin: { waitsFor: 'wall' }, forget: { waitsFor: 'wall' } },
  key: ({ namespace, id }) => `${prefix}${namespace}/${id}`,
  input: (identity) => identity,
  first: (member, resumed) =>
    resumed === undefined ? undefined : { type: 'job.resumed', nowMs: member.nowMs() },
  restored: (identity, _, { restored }) => restored(identity),
  forgetting: ({ identity, ports }) => ports.forgotten(identity),
  perform(effect, actor, { identity, ports }) {
    ports.step(identity, contextOf<JobContext>(actor.snapshot()), effect.from);
  },
});
