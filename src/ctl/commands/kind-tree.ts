// The commands of all kinds, made from their rows; what only one kind has is in a file of its own.
import { type CommandSpec, type FlagSpec, formatFlag, skipConfirmFlag, type Work } from '../command.ts';
import {
  apiKeyCommands,
  authCommands,
  clusterRoleBindingCommands,
  clusterRoleCommands,
  namespaceCommands,
  roleBindingCommands,
  roleCommands,
  secretCommands,
  secretsProviderCommands,
  userCommands,
} from '../kinds/access.ts';
import { kindOfPath } from '../kinds/addresses.ts';
import {
  assetCommands,
  filterCommands,
  handlerCommands,
  hookCommands,
  mutatorCommands,
  pipelineCommands,
} from '../kinds/handling.ts';
import type { KindCommands } from '../kinds/kind-commands.ts';
import { checkCommands, entityCommands, eventCommands, silencedCommands } from '../kinds/watching.ts';

const resources = () => import('./resources.ts');

export const listFlags = (kind: KindCommands): readonly FlagSpec[] => [
  formatFlag,
  ...(kindOfPath(kind.path).namespaced ? [{ name: 'all-namespaces', help: 'of every namespace' }] : []),
  { name: 'field-selector', value: 'selector', help: `only those whose fields match` },
  { name: 'label-selector', value: 'selector', help: 'only those whose labels match' },
  { name: 'chunk-size', value: 'number', help: 'items asked for at once; the list is always whole' },
];

const interactiveFlag: FlagSpec = { name: 'interactive', help: 'ask for every field that is not given' };

const genericCommands = (kind: KindCommands): readonly CommandSpec[] => {
  const word = kind.words.join(' ');
  const args = (kind.nameArgs ?? ['<name>']).join(' ');
  const fieldFlags = (kind.fields ?? []).map(({ flag }) => flag);
  const load = async (verb: (typeof kind.verbs)[number]): Promise<Work> => {
    const { create, info, list, remove, update } = await resources();
    return { create, info, list, delete: remove, update }[verb](kind);
  };
  const all: Record<(typeof kind.verbs)[number], Omit<CommandSpec, 'name' | 'load'>> = {
    list: {
      help: `list every ${word}`,
      flags: listFlags(kind),
      examples: [`mon-ctl ${word} list`, `mon-ctl ${word} list --format yaml`],
    },
    info: { help: `show one ${word}`, args, flags: [formatFlag], examples: [`mon-ctl ${word} info ${args}`] },
    create: { help: `create a new ${word}`, args: '<name>', flags: [...fieldFlags, interactiveFlag] },
    update: { help: `change fields of one ${word}`, args: '<name>', flags: fieldFlags },
    delete: { help: `delete one ${word}`, args, flags: [skipConfirmFlag] },
  };
  return kind.verbs.map((verb) => ({ name: verb, ...all[verb], load: () => load(verb) }));
};

/** Fields of a check that can't be taken away. */
const required: ReadonlySet<string> = new Set([
  'command',
  'cron',
  'interval',
  'publish',
  'round-robin',
  'stdin',
  'subscriptions',
]);

const checkFieldCommands: readonly CommandSpec[] = (checkCommands.fields ?? []).flatMap(
  (field): CommandSpec[] => {
    const { name, help } = field.flag;
    const set: CommandSpec = {
      name: `set-${name}`,
      args: '<name> <value>',
      help: `set: ${help}`,
      load: async () => (await resources()).setField(checkCommands, field),
    };
    if (required.has(name)) return [set];
    return [
      set,
      {
        name: `remove-${name}`,
        args: '<name>',
        help: `take away: ${help}`,
        load: async () => (await resources()).removeField(checkCommands, field),
      },
    ];
  },
);

const checks = () => import('./checks.ts');
const fileFlag: FlagSpec = {
  name: 'file',
  short: 'f',
  value: 'file',
  help: 'JSON or YAML; standard input when left out',
};

const moreCheckCommands: readonly CommandSpec[] = [
  {
    name: 'execute',
    args: '<name>',
    help: 'run a check now',
    flags: [
      { name: 'reason', short: 'r', value: 'text', help: 'why' },
      {
        name: 'subscriptions',
        short: 's',
        value: 'list',
        list: true,
        help: 'subscriptions instead of those of the check',
      },
    ],
    examples: ['mon-ctl check execute disk', 'mon-ctl check execute disk -s entity:web01'],
    load: async () => (await checks()).execute,
  },
  ...checkFieldCommands,
  {
    name: 'set-hooks',
    args: '<name>',
    help: 'name the hooks for one type of result',
    flags: [
      {
        name: 'type',
        short: 't',
        value: 'type',
        help: 'ok, warning, critical, unknown, non-zero or a status',
      },
      { name: 'hooks', short: 'k', value: 'list', list: true, help: 'names of hooks' },
    ],
    load: async () => (await checks()).setHooks,
  },
  {
    name: 'remove-hook',
    args: '<name> <type> <hook>',
    help: 'take a hook away',
    load: async () => (await checks()).removeHook,
  },
  ...(['proxy-requests', 'subdue'] as const).flatMap((part): CommandSpec[] => [
    {
      name: `set-${part}`,
      args: '<name>',
      flags: [fileFlag],
      help: `set ${part} from a file`,
      load: async () => (await checks()).setPart(part),
    },
    {
      name: `remove-${part}`,
      args: '<name>',
      help: `take ${part} away`,
      load: async () => (await checks()).removePart(part),
    },
  ]),
];

const silences = () => import('./silences.ts');
const silencedTarget: readonly FlagSpec[] = [
  { name: 'subscription', short: 's', value: 'name', help: 'subscription, or entity:NAME' },
  { name: 'check', short: 'c', value: 'name', help: 'check' },
];

const silencedSubcommands: readonly CommandSpec[] = [
  {
    name: 'create',
    help: 'silence a check, a subscription or both',
    flags: [
      ...silencedTarget,
      ...(silencedCommands.fields ?? []).map(({ flag }) => flag),
      {
        name: 'begin',
        short: 'b',
        value: 'time',
        help: 'when it begins: now, or a time such as 2030-01-02T15:04:00Z',
      },
      interactiveFlag,
    ],
    examples: ['mon-ctl silenced create -s entity:web01 -r "new disk" -e 3600'],
    load: async () => (await silences()).createSilence,
  },
  {
    name: 'update',
    args: '[name]',
    help: 'change a silence',
    flags: [...silencedTarget, ...(silencedCommands.fields ?? []).map(({ flag }) => flag)],
    load: async () => (await silences()).updateSilence,
  },
  {
    name: 'delete',
    args: '[name]',
    help: 'end a silence',
    flags: [...silencedTarget, skipConfirmFlag],
    load: async () => (await silences()).deleteSilence,
  },
  {
    name: 'info',
    args: '[name]',
    help: 'show one silence',
    flags: [...silencedTarget, formatFlag],
    load: async () => (await silences()).showSilence,
  },
  {
    name: 'list',
    help: 'list silences',
    flags: [...listFlags(silencedCommands), ...silencedTarget],
    load: async () => (await silences()).listSilences,
  },
];

const users = () => import('./users.ts');
const passwordFlag: FlagSpec = {
  name: 'password',
  short: 'p',
  value: 'password',
  help: 'asked for without echo when left out',
};

const userSubcommands: readonly CommandSpec[] = [
  {
    name: 'create',
    args: '<name>',
    help: 'create a user',
    flags: [
      passwordFlag,
      { name: 'groups', short: 'g', value: 'list', list: true, help: 'groups of the user' },
      interactiveFlag,
    ],
    load: async () => (await users()).createUser,
  },
  {
    name: 'disable',
    args: '<name>',
    help: 'let a user in no more',
    flags: [skipConfirmFlag],
    load: async () => (await users()).disable,
  },
  {
    name: 'reinstate',
    args: '<name>',
    help: 'let a disabled user in again',
    flags: [skipConfirmFlag],
    load: async () => (await users()).reinstate,
  },
  {
    name: 'add-group',
    args: '<name> <group>',
    help: 'put a user into a group',
    load: async () => (await users()).addGroup,
  },
  {
    name: 'remove-group',
    args: '<name> <group>',
    help: 'take a user out of a group',
    load: async () => (await users()).removeGroup,
  },
  {
    name: 'remove-groups',
    args: '<name>',
    help: 'take a user out of all groups',
    load: async () => (await users()).removeGroups,
  },
  {
    name: 'set-groups',
    args: '<name> <groups>',
    help: 'put a user into these groups only',
    load: async () => (await users()).setGroups,
  },
  {
    name: 'change-password',
    args: '[name]',
    help: 'change a password whose current one is known; your own when no name is given',
    flags: [
      {
        name: 'current-password',
        short: 'c',
        value: 'password',
        help: 'asked for without echo when left out',
      },
      { name: 'new-password', short: 'p', value: 'password', help: 'asked for without echo when left out' },
      interactiveFlag,
    ],
    load: async () => (await users()).changePassword,
  },
  {
    name: 'reset-password',
    args: '<name>',
    help: 'set a password without the current one',
    flags: [passwordFlag, interactiveFlag],
    load: async () => (await users()).resetPassword,
  },
  {
    name: 'hash-password',
    args: '[password]',
    help: 'print the bcrypt hash of a password',
    load: async () => (await users()).hashPassword,
  },
  {
    name: 'test-creds',
    args: '<name>',
    help: 'say whether a password is right',
    flags: [passwordFlag],
    load: async () => (await users()).testCredentials,
  },
];

const keys = () => import('./keys.ts');

const apiKeySubcommands: readonly CommandSpec[] = [
  {
    name: 'grant',
    args: '<user>',
    help: 'make a key for a user; it is shown this once',
    load: async () => (await keys()).grant,
  },
  {
    name: 'revoke',
    args: '<name>',
    help: 'delete a key',
    flags: [skipConfirmFlag],
    load: async () => (await keys()).revoke,
  },
];

const resolve: CommandSpec = {
  name: 'resolve',
  args: '<entity> <check>',
  help: 'resolve an event by hand',
  load: async () => (await import('./events.ts')).resolveEvent,
};

const own = new Map<KindCommands, readonly CommandSpec[]>([
  [checkCommands, moreCheckCommands],
  [eventCommands, [resolve]],
  [silencedCommands, silencedSubcommands],
  [userCommands, userSubcommands],
  [apiKeyCommands, apiKeySubcommands],
  [
    secretCommands,
    [{ name: 'provider', help: 'secrets providers', commands: genericCommands(secretsProviderCommands) }],
  ],
]);

const kinds: readonly KindCommands[] = [
  apiKeyCommands,
  assetCommands,
  authCommands,
  checkCommands,
  clusterRoleCommands,
  clusterRoleBindingCommands,
  entityCommands,
  eventCommands,
  filterCommands,
  handlerCommands,
  hookCommands,
  mutatorCommands,
  namespaceCommands,
  pipelineCommands,
  roleCommands,
  roleBindingCommands,
  secretCommands,
  silencedCommands,
  userCommands,
];

/** The commands below the word of a kind. */
export const commandsOfKind = (word: string): readonly CommandSpec[] => {
  const kind = kinds.find(({ words }) => words[0] === word);
  return kind === undefined ? [] : [...genericCommands(kind), ...(own.get(kind) ?? [])];
};

/** The path segment of the kind with this word; undefined when it is none. */
export const pathOfWord = (word: string): string | undefined =>
  kinds.find(({ words }) => words[0] === word)?.path;
