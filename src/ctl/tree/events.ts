// What only events have on the command line.
import { type CommandSpec, command, workOf } from '../command.ts';

const events = workOf(() => import('../commands/events.ts'));

export const eventSubcommands: readonly CommandSpec[] = [
  command('resolve <entity> <check>', 'resolve an event by hand', events('resolveEvent'), {
    examples: ['mon-ctl event resolve web01 disk'],
  }),
];
