// What only events have on the command line.
import { type CommandSpec, command, type FlagSpec, flag, formatFlag, workOf } from '../command.ts';
import type { KindCommands } from '../kinds/kind-commands.ts';
import { eventCommands } from '../kinds/watching.ts';
import { jobSelection } from './jobs.ts';

const events = workOf(() => import('../commands/events.ts'));
const traces = workOf(() => import('../commands/event-trace.ts'));

export const eventSubcommands = (
  listFlags: (kind: KindCommands) => readonly FlagSpec[],
): readonly CommandSpec[] => [
  command('list', 'list events', events('listEvents'), {
    flags: [...listFlags(eventCommands), flag('watch,w', 'then print what changes, until it is interrupted')],
    examples: [
      'mon-ctl event list',
      `mon-ctl event list --field-selector 'event.check.status != "0"' --all-namespaces`,
      'mon-ctl event list --watch',
    ],
  }),
  command('resolve [entity] [check]', 'resolve an event by hand, or all that match', events('resolveEvent'), {
    flags: [flag('all', 'all incidents that match the selectors, as a job of the backend'), ...jobSelection],
    examples: [
      'mon-ctl event resolve web01 disk',
      `mon-ctl event resolve --all --field-selector "event.check.name == 'disk'"`,
    ],
  }),
  command(
    'ack <entity> <check>',
    'acknowledge an incident: handlers hear of a change of status, not of repetitions',
    events('acknowledgeEvent'),
    {
      flags: [
        flag('comment,c <text>', 'what others should know'),
        flag('owner <name>', 'who takes care of it (default: you)'),
        flag('remind-every <duration>', 'tell handlers again after this time, such as 4h'),
      ],
      examples: [
        "mon-ctl event ack web01 disk --comment 'disk ordered' --remind-every 4h",
        'mon-ctl event ack web01 disk --owner bob',
      ],
    },
  ),
  command('unack <entity> <check>', 'withdraw an acknowledgement', events('releaseEvent'), {
    examples: ['mon-ctl event unack web01 disk'],
  }),
  command('note <entity> <check> <text...>', 'add a note to an incident', events('noteEvent'), {
    examples: ["mon-ctl event note web01 disk 'the vendor was called'"],
  }),
  command(
    'trace <entity> <check>',
    'say what filters, mutator and handlers did with the last event',
    traces('traceEvent'),
    {
      flags: [formatFlag],
      examples: ['mon-ctl event trace web01 disk'],
    },
  ),
  command('history <entity> <check>', 'list the last results of a check', traces('eventHistory'), {
    flags: [formatFlag],
    examples: ['mon-ctl event history web01 disk'],
  }),
];
