// Bulk jobs: one thing that the backend does to many events.
import {
  type CommandSpec,
  command,
  type FlagSpec,
  flag,
  formatFlag,
  skipConfirmFlag,
  workOf,
} from '../command.ts';

const jobs = workOf(() => import('../commands/jobs.ts'));

export const jobSelection: readonly FlagSpec[] = [
  flag('field-selector <selector>', 'only events whose fields match'),
  flag('label-selector <selector>', 'only events whose labels match'),
  flag('detach', 'do not wait for the end of the job'),
  skipConfirmFlag,
];

export const jobCommands: readonly CommandSpec[] = [
  {
    name: 'job',
    help: 'bulk jobs: one thing that the backend does to many events',
    commands: [
      command(
        'start <action>',
        'resolve, acknowledge, silence, rerun or delete all events that match',
        jobs('startJob'),
        {
          flags: [
            ...jobSelection,
            flag('comment <text>', 'of an acknowledgement: what others should know'),
            flag('owner <name>', 'of an acknowledgement: who takes care of it (default: you)'),
            flag('reason <text>', 'of silences: why'),
            flag('expire <seconds>', 'of silences: how long they last'),
          ],
          examples: [
            `mon-ctl job start acknowledge --field-selector "event.check.name == 'disk'" --comment 'disks ordered'`,
            `mon-ctl job start delete --label-selector "region == 'eu'" --skip-confirm --detach`,
          ],
        },
      ),
      command('list', 'list the jobs of the last day', jobs('listJobs'), {
        flags: [formatFlag],
        examples: ['mon-ctl job list'],
      }),
      command('info <job>', 'show how far a job is, and what failed', jobs('showJob'), {
        flags: [formatFlag],
        examples: ['mon-ctl job info 3c5a5a0e-6b5c-4a4e-9d43-7a0a5e6c2b11'],
      }),
      command('cancel <job>', 'leave the events that are not done yet as they are', jobs('cancelJob'), {
        examples: ['mon-ctl job cancel 3c5a5a0e-6b5c-4a4e-9d43-7a0a5e6c2b11'],
      }),
    ],
  },
];
