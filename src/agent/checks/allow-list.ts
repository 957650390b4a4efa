// Allow list: a file with the commands that checks and hooks may run on this machine. A command is compared word by
// word and then runs as those words without a shell, so it cannot contain a second command.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { commandWords } from '../../execution/shell-words.ts';
import { errorText } from '../../program/log.ts';
import { SettingsError } from '../../program/resolve.ts';
import { no, type Stage, yes } from '../../program/stage.ts';
import { readYaml } from '../../program/yaml.ts';
import { type AllowList, allowEverything, deniedMessage, type Permission } from './stages.ts';

const entrySchema = z.object({
  exec: z.string().min(1, 'exec cannot be empty'),
  args: z.array(z.string()).min(1, 'args cannot be empty'),
  sha512: z.string().default(''),
  enable_env: z.boolean().default(false),
});
type AllowEntry = z.infer<typeof entrySchema>;

/** An entry with its texts split into words. */
interface Rule {
  readonly exec: readonly string[];
  /** One argument of an entry may contain several words, such as `-w 80`. */
  readonly args: readonly (readonly string[])[];
  readonly passVariables: boolean;
  readonly sha512: string;
}

const startsWith = (words: readonly string[], from: number, part: readonly string[]): boolean =>
  part.every((word, index) => words[from + index] === word);

/** Whether the words from an index on are arguments of the rule, in any order and number. */
const areArguments = (rule: Rule, words: readonly string[], from: number): boolean => {
  const reachable = new Set([from]);
  for (let at = from; at < words.length; at += 1) {
    if (!reachable.has(at)) continue;
    for (const arg of rule.args) if (startsWith(words, at, arg)) reachable.add(at + arg.length);
  }
  return reachable.has(words.length);
};

const matches = (rule: Rule, words: readonly string[]): boolean =>
  startsWith(words, 0, rule.exec) && areArguments(rule, words, rule.exec.length);

/** Throws for an entry that can never match. */
const wordsOf = (text: string, where: string): readonly string[] => {
  const split = commandWords(text);
  if (!split.ok)
    throw new SettingsError(
      `${where}: ${split.why}. Allowed commands run without a shell; if a shell is required, allow "sh" with the whole script in quotes`,
    );
  return split.words;
};

const ruleOf = (entry: AllowEntry, index: number): Rule => {
  const exec = wordsOf(entry.exec, `entry ${index}.exec`);
  if (exec.length === 0) throw new SettingsError(`entry ${index}.exec: exec cannot be empty`);
  return {
    exec,
    args: entry.args
      .map((arg, at) => wordsOf(arg, `entry ${index}.args.${at}`))
      .filter((words) => words.length > 0),
    passVariables: entry.enable_env,
    sha512: entry.sha512.toLowerCase(),
  };
};

const isExecutable = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
};

/** The executable of a command, located like `execvp` does. */
const findExecutable = async (word: string, searchPath: string): Promise<string | null> => {
  const candidates = word.includes('/')
    ? [word]
    : searchPath.split(delimiter).map((folder) => join(folder, word));
  for (const path of candidates) if (await isExecutable(path)) return path;
  return null;
};

const sha512Of = async (path: string): Promise<string> => {
  const hash = createHash('sha512');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
};

const permitWords = (rules: readonly Rule[], command: string): Stage<Permission> => {
  const split = commandWords(command);
  if (!split.ok) return no(deniedMessage);
  const rule = rules.find((candidate) => matches(candidate, split.words));
  if (rule === undefined) return no(deniedMessage);
  return yes({ passVariables: rule.passVariables, words: split.words, sha512: rule.sha512 });
};

/** Throws SettingsError for an entry that can never match. */
const allowListOf = (entries: readonly AllowEntry[]): AllowList => {
  const rules = entries.map(ruleOf);
  return {
    permit: (command) => permitWords(rules, command),
    verify: async (permission, environment) => {
      const { words = [], sha512 = '' } = permission;
      if (sha512 === '') return yes(permission);
      const path = await findExecutable(words[0] ?? '', environment.PATH ?? '');
      if (path === null || (await sha512Of(path)) !== sha512) return no(deniedMessage);
      // Run the verified file, whatever the search path resolves to later.
      return yes({ ...permission, words: [path, ...words.slice(1)] });
    },
  };
};

const rulesIn = (path: string, entries: readonly AllowEntry[]): AllowList => {
  try {
    return allowListOf(entries);
  } catch (error) {
    throw new SettingsError(`allow-list ${path}: ${errorText(error)}`);
  }
};

/**
 * Reads the file; an empty path allows everything. Throws SettingsError: the agent must not run without its allow
 * list.
 */
export const loadAllowList = (path: string, readFile: (path: string) => string): AllowList => {
  if (path === '') return allowEverything;
  if (!/\.(yaml|yml|json)/.test(path))
    throw new SettingsError(`allow-list ${path}: invalid file extension: it must be .yaml, .yml or .json`);
  let content: unknown;
  try {
    // JSON is a subset of YAML.
    content = readYaml(readFile(path));
  } catch (error) {
    throw new SettingsError(`unable to read allow-list ${path}: ${errorText(error)}`);
  }
  const read = z.array(entrySchema).safeParse(content);
  if (read.success) return rulesIn(path, read.data);
  const issue = read.error.issues[0];
  throw new SettingsError(
    `allow-list ${path}: entry ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'wrong'}`,
  );
};
