// What only silences have on the command line: they are named by what they silence.
import {
  type CommandSpec,
  command,
  type FlagSpec,
  flag,
  formatFlag,
  interactiveFlag,
  skipConfirmFlag,
  workOf,
} from '../command.ts';
import type { KindCommands } from '../kinds/kind-commands.ts';
import { silencedCommands } from '../kinds/watching.ts';

const silences = workOf(() => import('../commands/silences.ts'));

const target: readonly FlagSpec[] = [
  flag('subscription,s <name>', 'subscription, or entity:NAME'),
  flag('check,c <name>', 'check'),
];
const fields = silencedCommands.fields.map((field) => field.flag);

export const silencedSubcommands = (
  listFlags: (kind: KindCommands) => readonly FlagSpec[],
): readonly CommandSpec[] => [
  command('create', 'silence a check, a subscription or both', silences('createSilence'), {
    flags: [
      ...target,
      ...fields,
      flag('begin,b <time>', 'when it begins: now, or a time such as 2030-01-02T15:04:00Z'),
      flag('dry-run', 'only say which events it would cover now'),
      interactiveFlag,
    ],
    examples: [
      "mon-ctl silenced create -s entity:web01 -r 'new disk' -e 3600",
      'mon-ctl silenced create -c disk --dry-run',
    ],
  }),
  command('update [name]', 'change a silence', silences('updateSilence'), {
    flags: [...target, ...fields],
    examples: ['mon-ctl silenced update -s entity:web01 -e 7200'],
  }),
  command('delete [name]', 'end a silence', silences('deleteSilence'), {
    flags: [...target, skipConfirmFlag],
    examples: ['mon-ctl silenced delete -s entity:web01 --skip-confirm'],
  }),
  command('info [name]', 'show one silence', silences('showSilence'), {
    flags: [...target, formatFlag],
    examples: ["mon-ctl silenced info 'entity:web01:*'", 'mon-ctl silenced info -c disk'],
  }),
  command('list', 'list silences', silences('listSilences'), {
    flags: [...listFlags(silencedCommands), ...target],
    examples: ['mon-ctl silenced list', 'mon-ctl silenced list -c disk --all-namespaces'],
  }),
];
