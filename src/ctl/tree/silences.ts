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
const times: readonly FlagSpec[] = [
  flag(
    'weekly <window>',
    'regular time in which it holds: "sunday 02:00-04:00 Europe/Berlin"; may be repeated',
    {
      whole: true,
    },
  ),
  flag('until <time>', 'when it ends: a time such as 2030-01-02T15:04:00Z'),
];

export const silencedSubcommands = (
  listFlags: (kind: KindCommands) => readonly FlagSpec[],
): readonly CommandSpec[] => [
  command(
    'create',
    'silence a check, a subscription, or what a selector matches',
    silences('createSilence'),
    {
      flags: [
        ...target,
        flag('name <name>', 'name of a silence with a selector'),
        ...fields,
        ...times,
        flag('begin,b <time>', 'when it begins: now, or a time such as 2030-01-02T15:04:00Z'),
        flag('dry-run', 'only say which events it would cover now'),
        interactiveFlag,
      ],
      examples: [
        "mon-ctl silenced create -s entity:web01 -r 'new disk' -e 3600",
        'mon-ctl silenced create -c disk --dry-run',
        `mon-ctl silenced create --name backups --selector "event.labels.region == 'eu'" --weekly 'sunday 02:00-04:00 Europe/Berlin' -r backups`,
      ],
    },
  ),
  command('update [name]', 'change a silence', silences('updateSilence'), {
    flags: [...target, ...fields, ...times],
    examples: ['mon-ctl silenced update -s entity:web01 -e 7200'],
  }),
  command('extend <duration> <names...>', 'let silences last longer', silences('extendSilences'), {
    examples: ['mon-ctl silenced extend 2h backups entity:web01:*'],
  }),
  command('delete [names...]', 'end silences', silences('deleteSilence'), {
    flags: [...target, skipConfirmFlag],
    examples: [
      'mon-ctl silenced delete -s entity:web01 --skip-confirm',
      'mon-ctl silenced delete backups entity:web01:*',
    ],
  }),
  command(
    'status',
    'say what silences cover and held back, and which ended lately, why and by whom',
    silences('silenceStatus'),
    { flags: [formatFlag], examples: ['mon-ctl silenced status'] },
  ),
  command('info [name]', 'show one silence', silences('showSilence'), {
    flags: [...target, formatFlag],
    examples: ["mon-ctl silenced info 'entity:web01:*'", 'mon-ctl silenced info -c disk'],
  }),
  command('list', 'list silences', silences('listSilences'), {
    flags: [...listFlags(silencedCommands), ...target],
    examples: ['mon-ctl silenced list', 'mon-ctl silenced list -c disk --all-namespaces'],
  }),
];
