// Allow list: a file that names the commands checks and hooks may run on this machine (agent sheet 4.7).
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { errorText } from '../program/log.ts';
import { SettingsError } from '../program/resolve.ts';
import { no, yes } from '../program/stage.ts';
import { type AllowList, allowEverything, deniedMessage } from './stages.ts';

const entrySchema = z.object({
  exec: z.string().min(1, 'exec cannot be empty'),
  args: z.array(z.string()).min(1, 'args cannot be empty'),
  sha512: z.string().default(''),
  enable_env: z.boolean().default(false),
});
export type AllowEntry = z.infer<typeof entrySchema>;

/** What is left of a command without the executable and the arguments of an entry must be blank. */
export const entryMatches = (entry: AllowEntry, command: string): boolean => {
  if (!command.includes(entry.exec)) return false;
  const rest = entry.args
    .filter((arg) => arg !== '')
    .reduce((text, arg) => text.replaceAll(arg, ''), command.replaceAll(entry.exec, ''));
  return rest.trim() === '';
};

const isExecutable = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
};

/** The file behind the first word of a command, found as the shell would. */
const findExecutable = async (command: string, searchPath: string): Promise<string | null> => {
  const [word = ''] = command.trim().split(' ');
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

export const allowListOf = (entries: readonly AllowEntry[]): AllowList => ({
  permit: (command) => {
    const entry = entries.find((candidate) => entryMatches(candidate, command));
    return entry === undefined
      ? no(deniedMessage)
      : yes({ passVariables: entry.enable_env, sha512: entry.sha512 });
  },
  verify: async (command, permission, environment) => {
    const wanted = permission.sha512 ?? '';
    if (wanted === '') return yes(true);
    const path = await findExecutable(command, environment.PATH ?? '');
    if (path === null) return no(deniedMessage);
    return (await sha512Of(path)) === wanted.toLowerCase() ? yes(true) : no(deniedMessage);
  },
});

/** Reads the file; an empty path allows everything. Throws SettingsError: an agent without its allow list must not run. */
export const loadAllowList = (path: string, readFile: (path: string) => string): AllowList => {
  if (path === '') return allowEverything;
  if (!/\.(yaml|yml|json)/.test(path))
    throw new SettingsError(`allow-list ${path}: invalid file extension: it must be .yaml, .yml or .json`);
  let content: unknown;
  try {
    // JSON is YAML.
    content = parse(readFile(path), { maxAliasCount: 100 });
  } catch (error) {
    throw new SettingsError(`allow-list ${path} can't be read: ${errorText(error)}`);
  }
  const read = z.array(entrySchema).safeParse(content);
  if (read.success) return allowListOf(read.data);
  const issue = read.error.issues[0];
  throw new SettingsError(
    `allow-list ${path}: entry ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'wrong'}`,
  );
};
