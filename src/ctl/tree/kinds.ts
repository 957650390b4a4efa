// The commands of all kinds, made from their rows; what only one kind has is in a file of its own.
import {
  type CommandSpec,
  chunkSizeFlag,
  everywhereFlag,
  type FlagSpec,
  flag,
  formatFlag,
  interactiveFlag,
  skipConfirmFlag,
  type Work,
} from '../command.ts';
import { secretsProviderCommands } from '../kinds/access.ts';
import { kindOfPath } from '../kinds/addresses.ts';
import { allKinds } from '../kinds/all-kinds.ts';
import type { KindCommands, Verb } from '../kinds/kind-commands.ts';

const resources = () => import('../commands/resources.ts');

export const listFlags = (kind: KindCommands): readonly FlagSpec[] => [
  formatFlag,
  ...(kindOfPath(kind.path).namespaced ? [everywhereFlag] : []),
  flag('field-selector <selector>', 'only those whose fields match'),
  flag('label-selector <selector>', 'only those whose labels match'),
  chunkSizeFlag,
];

const listExamples = (kind: KindCommands, word: string): readonly string[] => [
  `mon-ctl ${word} list`,
  `mon-ctl ${word} list --format yaml`,
  ...(kindOfPath(kind.path).namespaced
    ? [`mon-ctl ${word} list --all-namespaces --label-selector 'team == "web"'`]
    : []),
];

const genericCommands = (kind: KindCommands): readonly CommandSpec[] => {
  const word = kind.words.join(' ');
  const args = (kind.nameArgs ?? ['<name>']).join(' ');
  const fieldFlags = kind.fields.map((field) => field.flag);
  const { name, create, update } = kind.example;
  const load = async (verb: Verb): Promise<Work> => {
    const works = await resources();
    return {
      create: works.create,
      info: works.info,
      list: works.list,
      delete: works.remove,
      update: works.update,
    }[verb](kind);
  };
  const line = (verb: Verb, rest: string): readonly string[] => [`mon-ctl ${word} ${verb} ${rest}`];
  const all: Record<Verb, Omit<CommandSpec, 'name' | 'load'>> = {
    list: { help: `list every ${word}`, flags: listFlags(kind), examples: listExamples(kind, word) },
    info: { help: `show one ${word}`, args, flags: [formatFlag], examples: line('info', name) },
    create: {
      help: `create a new ${word}`,
      args: '<name>',
      flags: [...fieldFlags, interactiveFlag],
      examples: line('create', create ?? name),
    },
    update: {
      help: `change fields of one ${word}`,
      args: '<name>',
      flags: fieldFlags,
      examples: line('update', update ?? name),
    },
    delete: {
      help: `delete one ${word}`,
      args,
      flags: [skipConfirmFlag],
      examples: line('delete', `${name} --skip-confirm`),
    },
  };
  return kind.verbs.map((verb) => ({ name: verb, ...all[verb], load: () => load(verb) }));
};

/** Loads the commands that only this kind has. */
const own: Readonly<Record<string, () => Promise<readonly CommandSpec[]>>> = {
  asset: async () => (await import('./assets.ts')).assetSubcommands,
  check: async () => (await import('./checks.ts')).checkSubcommands,
  event: async () => (await import('./events.ts')).eventSubcommands(listFlags),
  silenced: async () => (await import('./silences.ts')).silencedSubcommands(listFlags),
  user: async () => (await import('./users.ts')).userSubcommands,
  'api-key': async () => (await import('./users.ts')).apiKeySubcommands,
  secret: async () => [
    { name: 'provider', help: 'secrets providers', commands: genericCommands(secretsProviderCommands) },
  ],
};

const kindOfWord = (word: string): KindCommands | undefined =>
  allKinds.find(({ words }) => words.length === 1 && words[0] === word);

/** The commands below the word of a kind. A command of its own comes in place of the generic one of that name. */
export const commandsOfKind = async (word: string): Promise<readonly CommandSpec[]> => {
  const kind = kindOfWord(word);
  if (kind === undefined) return [];
  const special = (await own[word]?.()) ?? [];
  const names = new Set(special.map(({ name }) => name));
  return [...genericCommands(kind).filter(({ name }) => !names.has(name)), ...special];
};

/** The path segment of the kind with this word; undefined when it is none. */
export const pathOfWord = (word: string): string | undefined => kindOfWord(word)?.path;
