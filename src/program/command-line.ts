// Builds the command line of a program from its flag table: parser options, and help with every default and
// alternative source.
import { Command, Option } from 'commander';
import type { Flag, FlagTable } from './flag.ts';
import { environmentName, type GivenFlags, type Program } from './resolve.ts';

/** What stands for the value in help texts. */
export const placeholder = (flag: Flag): string => {
  switch (flag.kind) {
    case 'boolean':
      return '[true|false]';
    case 'integer':
    case 'number':
      return '<number>';
    case 'duration':
      return '<duration>';
    case 'list':
      return '<list>';
    case 'map':
      return '<key=value>';
    case 'text':
      return '<text>';
  }
};

/** In the largest unit: `720h`, not `2592000s`. */
const shownDuration = (ms: number): string =>
  ms > 0 && ms % 3_600_000 === 0 ? `${ms / 3_600_000}h` : `${ms / 1000}s`;

/** Undefined if there is none worth showing. */
export const shownDefault = (flag: Flag): string | undefined => {
  if (flag.secret === true) return undefined;
  if (flag.defaultWords !== undefined) return flag.defaultWords;
  const value = flag.default;
  if (flag.kind === 'duration') return shownDuration(Number(value));
  if (typeof value === 'boolean') return undefined;
  if (typeof value === 'object')
    return Object.keys(value).length === 0 ? undefined : Object.values(value).join(',');
  return value === '' ? undefined : String(value);
};

const helpOf = (flag: Flag): string => {
  const shown = shownDefault(flag);
  const example = flag.example === undefined ? '' : `, e.g. ${flag.example}`;
  return `${flag.help}${example}${shown === undefined ? '' : ` (default: ${shown})`}`;
};

const collect = (value: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  value,
];

const optionsOf = (name: string, flag: Flag): Option[] => {
  const short = flag.short === undefined ? '' : `-${flag.short}, `;
  const named = new Option(`${short}--${name} ${placeholder(flag)}`, helpOf(flag)).argParser(collect);
  if (flag.kind === 'boolean') named.preset('true');
  if (flag.alias === undefined) return [named];
  const alias = new Option(`--${flag.alias.name} ${placeholder(flag)}`, `the same as --${name}`)
    .argParser(collect)
    .hideHelp(flag.alias.deprecated);
  return [named, alias];
};

/** Adds all flags of the table to a command. */
const addFlags = (command: Command, flags: FlagTable): Command => {
  for (const [name, flag] of Object.entries(flags)) {
    for (const option of optionsOf(name, flag)) command.addOption(option);
  }
  return command;
};

/** The flags given on the command line: values as text, in order. */
export const givenFlags = (command: Command): GivenFlags => {
  const given: Record<string, readonly string[]> = {};
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName());
    if (value === undefined) continue;
    given[option.long?.slice(2) ?? option.attributeName()] = Array.isArray(value)
      ? value.map(String)
      : [String(value)];
  }
  return given;
};

export interface SettingsCommand {
  readonly name: string;
  readonly description: string;
  readonly examples: readonly string[];
  /** Which flags of the program this command takes; absent: all. The others still come from the environment and the file. */
  readonly flags?: readonly string[];
}

/** A command that takes settings of a program, and where else they can be set. */
export const settingsCommand = (
  program: Program<FlagTable>,
  { name, description, examples, flags }: SettingsCommand,
): Command => {
  const taken = Object.entries(program.flags).filter(([flag]) => flags?.includes(flag) ?? true);
  const example = taken[0]?.[0] ?? 'config-file';
  const others =
    flags === undefined ? '' : ` Settings without a flag here are those of ${program.name} start.`;
  // commander would append its own text about presets and defaults; ours already includes them.
  const command = new Command(name)
    .description(description)
    .configureHelp({ optionDescription: (option) => option.description });
  return addFlags(command, Object.fromEntries(taken)).addHelpText(
    'after',
    `
Each setting can also be an environment variable (--${example}: ${environmentName(program.environmentPrefix, example)}) or a key of the
configuration file. A flag wins over the environment, the environment over the file, the file over the default.${others}

Examples:
${examples.map((line) => `  $ ${line}`).join('\n')}`,
  );
};

/** A `start` command with all flags of a program, and help about the other configuration sources. */
export const startCommand = (
  program: Program<FlagTable>,
  description: string,
  examples: readonly string[],
): Command => settingsCommand(program, { name: 'start', description, examples });
