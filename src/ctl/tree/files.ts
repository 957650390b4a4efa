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

const lenientFlag = flag('allow-unknown-fields', 'only warn of fields that the backend does not know');

export const fileCommands: readonly CommandSpec[] = [
  command('create', 'create or replace the resources in files', files('createFromFiles'), {
    flags: [...sourceFlags, lenientFlag],
    examples: [
      'mon-ctl create -f checks.yaml',
      'mon-ctl create -r -f monitoring/',
      'mon-ctl create < checks.json',
    ],
  }),
  command(
    'apply',
    'like create, label it as managed, and say what became of each resource',
    files('applyFiles'),
    {
      flags: [
        ...sourceFlags,
        lenientFlag,
        flag('dry-run', 'check the files, say what would become of each resource, and write nothing'),
      ],
      examples: ['mon-ctl apply -f checks.yaml', 'mon-ctl apply --dry-run -r -f monitoring/'],
    },
  ),
  command(
    'diff',
    'show what create or apply would change; exit 1 when something would',
    async () => (await import('../commands/diff.ts')).diffFiles,
    {
      flags: sourceFlags,
      examples: ['mon-ctl diff -r -f monitoring/', 'mon-ctl diff -f checks.yaml'],
    },
  ),
  command(
    'validate',
    'check files without a backend; each message has file, line and column',
    async () => (await import('../commands/validate.ts')).validateFiles,
    {
      flags: [...sourceFlags, flag('strict', 'unknown fields are errors')],
      examples: ['mon-ctl validate -r -f monitoring/', 'mon-ctl validate --strict -f checks.yaml'],
    },
  ),
  command(
    'explain <field>',
    'describe a kind or a field: type, unit, default, allowed values',
    async () => (await import('../commands/explain.ts')).explain,
    {
      flags: [formatFlag],
      examples: [
        'mon-ctl explain check',
        'mon-ctl explain check.proxy_requests',
        'mon-ctl explain handler.socket.port',
      ],
    },
  ),
  command(
    'prune <types>',
    'delete what apply once wrote and the files no longer describe',
    async () => (await import('../commands/prune.ts')).prune,
    {
      flags: [
        ...sourceFlags,
        flag('all-users,a', 'of any author; otherwise only what you wrote'),
        flag('users,u <names>', 'what these users wrote', { list: true }),
        flag('cluster-wide,c', 'resources without a namespace too'),
        flag('dry-run,d', 'only list what would be deleted'),
        flag('label-selector <selector>', 'only those whose labels match'),
        flag('omit,o <types>', 'types to leave out'),
        formatFlag,
        skipConfirmFlag,
      ],
      examples: [
        'mon-ctl prune checks,handlers --dry-run -r -f monitoring/',
        'mon-ctl prune all --omit roles --label-selector \'team == "web"\' -r -f monitoring/ --skip-confirm',
      ],
    },
  ),
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
