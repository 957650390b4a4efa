// What only events have on the command line.
import { type CommandSpec, command, type FlagSpec, flag, formatFlag, workOf } from '../command.ts';
import type { KindCommands } from '../kinds/kind-commands.ts';
import { eventCommands } from '../kinds/watching.ts';

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
  command('resolve <entity> <check>', 'resolve an event by hand', events('resolveEvent'), {
    examples: ['mon-ctl event resolve web01 disk'],
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
