// The tree of commands. Each line says where the work is; nothing of it is loaded before it is asked for.
import { type CommandSpec, type FlagSpec, formatFlag, skipConfirmFlag } from '../command.ts';

const signInFlags = [
  { name: 'url', value: 'url', help: 'address of the backend API' },
  { name: 'username', value: 'name', help: 'who logs in' },
  { name: 'password', value: 'password', help: 'asked for without echo when left out' },
  { name: 'non-interactive', short: 'n', help: 'ask nothing; take everything from flags and variables' },
] as const;

const config = () => import('./config.ts');
const signIn = () => import('./sign-in.ts');

const configCommand: CommandSpec = {
  name: 'config',
  help: 'look at the configuration of mon-ctl and change it',
  commands: [
    {
      name: 'view',
      help: 'show the active configuration',
      flags: [formatFlag],
      load: async () => (await config()).view,
    },
    { name: 'list', help: 'list the contexts', load: async () => (await config()).listContexts },
    {
      name: 'use',
      args: '<context>',
      help: 'make a context the current one',
      examples: ['mon-ctl config use production'],
      load: async () => (await config()).useContext,
    },
    {
      name: 'delete',
      args: '<context>',
      help: 'forget a context',
      load: async () => (await config()).removeContext,
    },
    {
      name: 'set-format',
      args: '<format>',
      help: 'set the output format',
      load: async () => (await config()).setFormat,
    },
    {
      name: 'set-namespace',
      args: '<namespace>',
      help: 'set the namespace',
      load: async () => (await config()).setNamespace,
    },
    {
      name: 'set-timeout',
      args: '<duration>',
      help: 'set the time limit of answers',
      load: async () => (await config()).setTimeout,
    },
  ],
};

/** Words of kinds, and what they are; their commands are loaded when one of them is asked for. */
const kindWords: Readonly<Record<string, string>> = {
  'api-key': 'keys of programs',
  asset: 'archives of programs that commands run with',
  auth: 'directories and issuers users may log in through',
  check: 'what agents run, when, and where the results go',
  'cluster-role': 'permissions everywhere',
  'cluster-role-binding': 'who has a cluster role everywhere',
  entity: 'machines and things being watched',
  event: 'the last results of checks',
  filter: 'which events reach a handler',
  handler: 'where events go',
  hook: 'commands run after a check for more light on its result',
  mutator: 'what an event is turned into for a handler',
  namespace: 'what keeps the resources of teams apart',
  pipeline: 'workflows of filters, a mutator and a handler',
  role: 'permissions inside one namespace',
  'role-binding': 'who has a role inside one namespace',
  secret: 'names of values that secrets providers keep',
  silenced: 'what keeps alerts quiet',
  user: 'who may log in with a password',
};

const kindCommands: readonly CommandSpec[] = Object.entries(kindWords).map(([name, help]) => ({
  name,
  help,
  loadCommands: async () => (await import('./kind-tree.ts')).commandsOfKind(name),
}));

const site = () => import('./site.ts');

const siteCommands: readonly CommandSpec[] = [
  {
    name: 'cluster',
    help: 'the backends of this site',
    commands: [
      {
        name: 'health',
        help: 'say whether the backends and the store are well',
        flags: [formatFlag],
        load: async () => (await site()).health,
      },
      { name: 'id', help: 'print the id of the cluster', load: async () => (await site()).clusterId },
      {
        name: 'member-list',
        help: 'list the backends',
        flags: [formatFlag],
        load: async () => (await site()).members,
      },
    ],
  },
  {
    name: 'license',
    help: 'the license of this site',
    commands: [
      {
        name: 'info',
        help: 'show the license',
        flags: [formatFlag],
        load: async () => (await site()).showLicense,
      },
      {
        name: 'delete',
        help: 'delete the license',
        flags: [skipConfirmFlag],
        load: async () => (await site()).deleteLicense,
      },
    ],
  },
  {
    name: 'tessen',
    help: 'the reporting setting of the reference product; nothing is ever sent',
    commands: [
      {
        name: 'info',
        help: 'show the setting',
        flags: [formatFlag],
        load: async () => (await site()).showTessen,
      },
      { name: 'opt-in', help: 'set it', load: async () => (await site()).optIn },
      {
        name: 'opt-out',
        help: 'clear it',
        flags: [skipConfirmFlag],
        load: async () => (await site()).optOut,
      },
    ],
  },
];

const sourceFlags: readonly FlagSpec[] = [
  {
    name: 'file',
    short: 'f',
    value: 'path',
    whole: true,
    help: 'file, folder or URL; repeat the flag for several; standard input when left out',
  },
  { name: 'recursive', short: 'r', help: 'folders in folders too' },
];

const files = () => import('./files.ts');
const types = () => import('./types.ts');

const fileCommands: readonly CommandSpec[] = [
  {
    name: 'create',
    help: 'create or replace what files describe',
    flags: sourceFlags,
    examples: [
      'mon-ctl create -f checks.yaml',
      'mon-ctl create -r -f monitoring/',
      'mon-ctl create < checks.json',
    ],
    load: async () => (await files()).createFromFiles,
  },
  {
    name: 'apply',
    help: 'like create, and say what became of each resource',
    flags: sourceFlags,
    examples: ['mon-ctl apply -f checks.yaml'],
    load: async () => (await files()).applyFiles,
  },
  {
    name: 'delete',
    help: 'delete what files describe',
    flags: [...sourceFlags, skipConfirmFlag],
    load: async () => (await files()).deleteFromFiles,
  },
  {
    name: 'dump',
    args: '[types]',
    help: 'print resources as create reads them',
    flags: [
      formatFlag,
      { name: 'file', short: 'f', value: 'path', help: 'write to this file, which only you can read' },
      { name: 'omit', short: 'o', value: 'types', help: 'types to leave out' },
      { name: 'all-namespaces', help: 'of every namespace' },
      { name: 'types', short: 't', value: 'types', help: 'the same as the argument' },
      { name: 'chunk-size', value: 'number', help: 'items asked for at once; the dump is always whole' },
    ],
    examples: [
      'mon-ctl dump all --all-namespaces -f everything.yaml',
      'mon-ctl dump checks,handlers --format wrapped-json',
    ],
    load: async () => (await import('./dump.ts')).dump,
  },
  {
    name: 'edit',
    args: '<type> [name...]',
    help: 'change a resource in $EDITOR',
    flags: [formatFlag, { name: 'blank', short: 'b', help: 'begin with an empty resource' }],
    examples: [
      'mon-ctl edit check disk',
      'mon-ctl edit event web01 disk',
      'mon-ctl edit handler new --blank',
    ],
    load: async () => (await import('./edit.ts')).edit,
  },
  {
    name: 'describe-type',
    args: '<types>',
    help: 'list types of resources and what they are called',
    flags: [formatFlag],
    examples: ['mon-ctl describe-type all', 'mon-ctl describe-type checks,CheckConfig'],
    load: async () => (await types()).describeTypes,
  },
  {
    name: 'completion',
    args: '<shell>',
    help: 'print the completion script of bash, zsh or fish',
    examples: ['source <(mon-ctl completion bash)', 'mon-ctl completion fish | source'],
    load: async () => (await import('./completion.ts')).printCompletion,
  },
];

const completeCommand: CommandSpec = {
  name: '__complete',
  hidden: true,
  args: '[words...]',
  help: 'what may come next on a command line',
  load: async () => (await import('./completion.ts')).complete(commandTree),
};

export const commandTree: readonly CommandSpec[] = [
  {
    name: 'configure',
    help: 'set the backend, log in, and set the defaults of a context',
    flags: [...signInFlags, formatFlag],
    examples: [
      'mon-ctl configure',
      'mon-ctl configure -n --url https://mon.example.org:8080 --username admin --password "$PASSWORD" --format tabular',
      'mon-ctl configure --context production',
    ],
    load: async () => (await signIn()).configure,
  },
  {
    name: 'login',
    help: 'log in with a password',
    flags: signInFlags,
    load: async () => (await signIn()).login,
  },
  { name: 'logout', help: 'end the login', load: async () => (await signIn()).logout },
  configCommand,
  ...kindCommands,
  ...siteCommands,
  ...fileCommands,
  completeCommand,
  {
    name: 'env',
    help: 'print the configuration as variables for a shell',
    flags: [{ name: 'shell', value: 'shell', help: 'bash, cmd or powershell (default bash)' }],
    examples: ['eval $(mon-ctl env)'],
    load: async () => (await import('./env.ts')).printEnvironment,
  },
  {
    name: 'version',
    help: 'print the version',
    load: async () => (await import('./version.ts')).printVersion,
  },
];
