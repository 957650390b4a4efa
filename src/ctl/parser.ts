// The parser of the command line, made from the table of commands. Only the branch that was asked for gets its flags.
import { Command, CommanderError, Option } from 'commander';
import { type CommandSpec, type FlagSpec, globalFlags } from './command.ts';
import { CtlError, exitCodes, SaidError } from './failure.ts';
import { manyLines } from './output/terminal-text.ts';
import { openSession, type Streams } from './session.ts';

const optionOf = (flag: FlagSpec): Option => {
  const short = flag.short === undefined ? '' : `-${flag.short}, `;
  const value = flag.value === undefined ? '[true|false]' : `<${flag.value}>`;
  const option = new Option(`${short}--${flag.name} ${value}`, flag.help).hideHelp(flag.hidden === true);
  // Switches are `--flag` and `--flag=false`: a word that follows is an argument.
  if (flag.value === undefined) option.preset('true');
  if (flag.list === true || flag.whole === true) {
    const parts = (text: string): string[] =>
      flag.whole === true
        ? [text]
        : text
            .split(',')
            .map((part) => part.trim())
            .filter((part) => part !== '');
    option.argParser((text: string, before: readonly string[] | undefined) => [
      ...(before ?? []),
      ...parts(text),
    ]);
  }
  return option;
};

/** By long name, of a command and all above it; the nearest wins. */
const givenOptions = (command: Command): Record<string, unknown> => {
  const given: Record<string, unknown> = Object.create(null);
  for (let at: Command | null = command; at !== null; at = at.parent)
    for (const option of at.options) {
      const name = option.long?.slice(2) ?? '';
      const value: unknown = at.getOptionValue(option.attributeName());
      if (value !== undefined && !(name in given)) given[name] = value;
    }
  return given;
};

const globalHelp = `\nGlobal flags, each also as a variable (--api-url: MON_API_URL):\n${globalFlags
  .map(
    (flag) =>
      `  ${`--${flag.name}${flag.value === undefined ? '' : ` <${flag.value}>`}`.padEnd(30)} ${flag.help}`,
  )
  .join('\n')}`;

/** What newcomers look for first. */
const firstSteps: readonly string[] = [
  'mon-ctl configure                                  # address of the backend, user, password',
  'mon-ctl event list --field-selector \'event.check.status != "0"\'',
  'mon-ctl silenced create -s entity:web01 -r "new disk" -e 3600',
  'mon-ctl check execute disk --wait',
  'mon-ctl dump all --all-namespaces -f everything.yaml',
  'mon-ctl check create --help                        # flags and examples of one command',
];

const examplesOf = (spec: CommandSpec): string =>
  spec.examples === undefined ? '' : `\nExamples:\n${spec.examples.map((line) => `  $ ${line}`).join('\n')}`;

const addOptions = (command: Command, spec: CommandSpec): void => {
  const own = new Set((spec.flags ?? []).map(({ name }) => name));
  for (const flag of spec.flags ?? []) command.addOption(optionOf(flag));
  for (const flag of globalFlags)
    if (!own.has(flag.name)) command.addOption(optionOf({ ...flag, hidden: true }));
};

/** The words of the command line that may be commands: no flags, none of their values. */
const plainWords = (words: readonly string[]): readonly string[] => {
  const withValue = new Set(
    globalFlags.filter(({ value }) => value !== undefined).map(({ name }) => `--${name}`),
  );
  const plain: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (withValue.has(word)) at += 1;
    else if (!word.startsWith('-')) plain.push(word);
  }
  return plain;
};

/** The program cannot know of a switch before a word whether the word is its value: it never is. */
const joinSwitches = (words: readonly string[], switches: ReadonlyMap<string, string>): string[] => {
  const end = words.indexOf('--');
  return words.map((word, at) =>
    (end < 0 || at < end) && switches.has(word) ? `${switches.get(word)}=true` : word,
  );
};

const commandsOf = async (spec: CommandSpec): Promise<readonly CommandSpec[]> =>
  spec.commands ?? (await spec.loadCommands?.()) ?? [];

const add = async (
  parent: Command,
  spec: CommandSpec,
  wanted: readonly string[],
  streams: Streams,
): Promise<void> => {
  const command = new Command(spec.name).description(spec.help);
  command.copyInheritedSettings(parent).enablePositionalOptions();
  for (const alias of spec.aliases ?? []) command.alias(alias);
  if (spec.args !== undefined) command.arguments(spec.args);
  parent.addCommand(command, { hidden: spec.hidden === true });
  if (wanted[0] !== spec.name && spec.aliases?.includes(wanted[0] ?? '') !== true) return;
  addOptions(command, spec);
  command.addHelpText('after', examplesOf(spec) + globalHelp);
  for (const child of await commandsOf(spec)) await add(command, child, wanted.slice(1), streams);
  const { load } = spec;
  if (load === undefined) {
    command.allowExcessArguments().action(async () => {
      const unknown = command.args[0];
      command.outputHelp({ error: true });
      if (unknown === undefined) throw new CtlError(`${path(command)} needs a command`, exitCodes.usage);
      const { nearestName } = await import('../model/resource/unknown-fields.ts');
      const nearest = nearestName(
        unknown,
        command.commands.map((child) => child.name()),
      );
      const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
      throw new CtlError(`unknown command "${unknown}" for "${path(command)}"${hint}`, exitCodes.usage);
    });
    return;
  }
  command.allowExcessArguments(false).action(async () => {
    const session = await openSession(streams, givenOptions(command));
    await (await load())(session, command.args);
  });
};

const path = (command: Command): string =>
  command.parent === null ? command.name() : `${path(command.parent)} ${command.name()}`;

const switchesOf = async (
  specs: readonly CommandSpec[],
  wanted: readonly string[],
): Promise<readonly FlagSpec[]> => {
  const found = specs.find(({ name, aliases }) => name === wanted[0] || aliases?.includes(wanted[0] ?? ''));
  if (found === undefined) return [];
  return [...(found.flags ?? []), ...(await switchesOf(await commandsOf(found), wanted.slice(1)))];
};

/** Runs one command line; resolves with the status to end with. */
export const runCommandLine = async (
  specs: readonly CommandSpec[],
  words: readonly string[],
  streams: Streams,
): Promise<number> => {
  const wanted = plainWords(words);
  const asksForHelp = wanted[0] === 'help';
  const program = new Command('mon-ctl')
    .description('The command line of mon: shows what is failing, and manages the configuration.')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void streams.out.write(text),
      writeErr: (text) => void streams.err.write(text),
      // The message is printed once, below.
      outputError: () => {},
    });
  addOptions(program, { name: '', help: '' });
  program.addHelpText('after', examplesOf({ name: '', help: '', examples: firstSteps }) + globalHelp);
  for (const spec of specs) await add(program, spec, asksForHelp ? wanted.slice(1) : wanted, streams);
  const switches = new Map(
    [...globalFlags, ...(await switchesOf(specs, wanted))]
      .filter(({ value }) => value === undefined)
      .flatMap(({ name, short }) =>
        [`--${name}`, ...(short === undefined ? [] : [`-${short}`])].map(
          (word) => [word, `--${name}`] as const,
        ),
      ),
  );
  if (words.length === 0) {
    program.outputHelp();
    return exitCodes.success;
  }
  try {
    await program.parseAsync(joinSwitches(words, switches), { from: 'user' });
    return exitCodes.success;
  } catch (error) {
    return report(error, streams);
  }
};

const report = (error: unknown, { err }: Streams): number => {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.success;
    const message = error.message.replace(/^error: /, '');
    err.write(
      `Error: ${/excess|missingArgument/i.test(error.code) ? `invalid argument(s) received: ${message}` : manyLines(message)}\n`,
    );
    return error.code === 'commander.unknownCommand' ? exitCodes.usage : exitCodes.failure;
  }
  if (error instanceof SaidError) return error.exitCode;
  if (error instanceof CtlError) {
    err.write(error.message === 'Canceled' ? 'Canceled\n' : `Error: ${manyLines(error.message)}\n`);
    return error.message === 'Canceled' ? exitCodes.success : error.exitCode;
  }
  throw error;
};
