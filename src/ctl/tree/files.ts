// Commands over resources in files.
import {
  type CommandSpec,
  chunkSizeFlag,
  command,
  everywhereFlag,
  type FlagSpec,
  flag,
  formatFlag,
  skipConfirmFlag,
  workOf,
} from '../command.ts';

const files = workOf(() => import('../commands/files.ts'));
const types = workOf(() => import('../commands/types.ts'));

const sourceFlags: readonly FlagSpec[] = [
  flag('file,f <path>', 'file, folder or URL; repeat the flag for several; standard input when left out', {
    whole: true,
  }),
  flag('recursive,r', 'folders in folders too'),
];

export const fileCommands: readonly CommandSpec[] = [
  command('create', 'create or replace the resources in files', files('createFromFiles'), {
    flags: sourceFlags,
    examples: [
      'mon-ctl create -f checks.yaml',
      'mon-ctl create -r -f monitoring/',
      'mon-ctl create < checks.json',
    ],
  }),
  command('apply', 'like create, and say what became of each resource', files('applyFiles'), {
    flags: sourceFlags,
    examples: ['mon-ctl apply -f checks.yaml'],
  }),
  command('delete', 'delete the resources in files', files('deleteFromFiles'), {
    flags: [...sourceFlags, skipConfirmFlag],
    examples: ['mon-ctl delete -f old.yaml', 'mon-ctl delete -r -f monitoring/ --skip-confirm'],
  }),
  command(
    'dump [types]',
    'print resources as create reads them',
    async () => (await import('../commands/dump.ts')).dump,
    {
      flags: [
        formatFlag,
        flag('file,f <path>', 'write to this file, which only you can read'),
        flag('omit,o <types>', 'types to leave out'),
        everywhereFlag,
        flag('types,t <types>', 'the same as the argument'),
        chunkSizeFlag,
      ],
      examples: [
        'mon-ctl dump all --all-namespaces -f everything.yaml',
        'mon-ctl dump checks,handlers --format wrapped-json',
      ],
    },
  ),
  command(
    'edit <type> [name...]',
    'change a resource in $EDITOR',
    async () => (await import('../commands/edit.ts')).edit,
    {
      flags: [formatFlag, flag('blank,b', 'begin with an empty resource')],
      examples: [
        'mon-ctl edit check disk',
        'mon-ctl edit event web01 disk',
        'mon-ctl edit handler new --blank',
      ],
    },
  ),
  command('describe-type <types>', 'list types of resources and their names', types('describeTypes'), {
    flags: [formatFlag],
    examples: ['mon-ctl describe-type all', 'mon-ctl describe-type checks,CheckConfig'],
  }),
];
