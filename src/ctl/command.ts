// A command as data: words, arguments, flags, and where its work is. The parser, the help, the completion and the tests all
// read this; the module that does the work is loaded when the command runs.
import type { Session } from './session.ts';

export interface FlagSpec {
  /** Long name without dashes. */
  readonly name: string;
  readonly short?: string;
  /** What the value is called in the help, e.g. `file`. Absent: a switch, `--flag` or `--flag=false`. */
  readonly value?: string;
  /** May be repeated, and a value may hold several, separated by commas. */
  readonly list?: true;
  /** Repeated values are kept as they are written, commas included. */
  readonly whole?: true;
  readonly help: string;
  readonly hidden?: true;
}

export type Work = (session: Session, args: readonly string[]) => Promise<void> | void;

export interface CommandSpec {
  readonly name: string;
  /** Not in the help. */
  readonly hidden?: true;
  readonly aliases?: readonly string[];
  readonly help: string;
  /** As in `<name> [value]`; a last one with `...` takes the rest. */
  readonly args?: string;
  readonly flags?: readonly FlagSpec[];
  readonly examples?: readonly string[];
  readonly commands?: readonly CommandSpec[];
  /** Loads `commands`, where there are many. */
  readonly loadCommands?: () => Promise<readonly CommandSpec[]>;
  /** Loads what does the work; absent for groups. */
  readonly load?: () => Promise<Work>;
}

export const globalFlags: readonly FlagSpec[] = [
  { name: 'api-url', value: 'url', help: 'address of the backend API' },
  { name: 'api-key', value: 'key', help: 'API key to use instead of a login' },
  { name: 'namespace', value: 'name', help: 'namespace in which the command works (default "default")' },
  { name: 'context', value: 'name', help: 'context of the configuration to use instead of the current one' },
  { name: 'config-dir', value: 'dir', help: 'folder of the configuration' },
  { name: 'cache-dir', value: 'dir', help: 'folder of installed commands (default ~/.cache/mon/mon-ctl)' },
  { name: 'timeout', value: 'duration', help: 'longest time for one answer of the backend (default 15s)' },
  { name: 'trusted-ca-file', value: 'file', help: 'PEM file with authorities to trust' },
  { name: 'insecure-skip-tls-verify', help: 'accept any certificate of the backend: not safe' },
];

export const formatFlag: FlagSpec = {
  name: 'format',
  value: 'format',
  help: 'tabular, yaml, wrapped-json or json',
};
export const skipConfirmFlag: FlagSpec = { name: 'skip-confirm', help: 'do not ask before it is done' };

export const interactiveFlag: FlagSpec = {
  name: 'interactive',
  help: 'ask for every field that is not given',
};
export const chunkSizeFlag: FlagSpec = {
  name: 'chunk-size',
  value: 'number',
  help: 'items asked for at once; what is printed is always whole',
};
export const everywhereFlag: FlagSpec = { name: 'all-namespaces', help: 'of every namespace' };

/** `flag('file,f <path>', 'help')`; without a value it is a switch. */
export const flag = (usage: string, help: string, more: Partial<FlagSpec> = {}): FlagSpec => {
  const [, name = '', short, value] = /^([\w-]+)(?:,(\w))?(?: <(.+)>)?$/.exec(usage) ?? [];
  return {
    name,
    ...(short === undefined ? {} : { short }),
    ...(value === undefined ? {} : { value }),
    help,
    ...more,
  };
};

/** `command('set-groups <name> <groups>', 'help', load, { examples })`: the first word is its name, the rest its arguments. */
export const command = (
  usage: string,
  help: string,
  load: NonNullable<CommandSpec['load']>,
  more: Partial<CommandSpec> = {},
): CommandSpec => {
  const [name = '', ...args] = usage.split(' ');
  return { name, help, ...(args.length === 0 ? {} : { args: args.join(' ') }), load, ...more };
};

type WorkIn<M> = { [K in keyof M]: M[K] extends Work ? K : never }[keyof M];

/** What a module exports as work, loaded when it runs. */
export const workOf =
  <M>(module: () => Promise<M>) =>
  (name: WorkIn<M>) =>
  async (): Promise<Work> =>
    (await module())[name] as Work;
