// Resolves settings in order of precedence: flag, environment, file, default. An invalid setting is reported with
// its source and reason, and the program does not start.
import { readFileSync } from 'node:fs';
import { type Flag, type FlagTable, fieldName, type SettingsOf } from './flag.ts';
import { type RawValue, readValue, type SettingValue } from './values.ts';
import { readYaml } from './yaml.ts';

/** The given command line flags: values by flag name or alias. */
export type GivenFlags = Readonly<Record<string, readonly string[]>>;

export interface Sources {
  readonly flags: GivenFlags;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Reads a text file or throws. */
  readonly readFile: (path: string) => string;
}

/** A program and its settings. The table must include a text flag `config-file`. */
export interface Program<T extends FlagTable> {
  /** The command name, e.g. `mon-backend`. */
  readonly name: string;
  /** The prefix of its environment variables, e.g. `MON_BACKEND_`. */
  readonly environmentPrefix: string;
  readonly flags: T;
  /** Keys in configuration files of the reference product that have no effect here, with advice. */
  readonly foreignKeys?: readonly ForeignKey[];
}

export interface ForeignKey {
  readonly key: RegExp;
  readonly advice: string;
}

export interface Resolved<T extends FlagTable> {
  readonly settings: SettingsOf<T>;
  /** Problems that do not prevent the start. */
  readonly warnings: readonly string[];
}

/** The program cannot start. The message names the setting, its source and the reason. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

interface Found {
  readonly raw: RawValue;
  readonly from: string;
}

export const environmentName = (prefix: string, name: string): string =>
  `${prefix}${name.toUpperCase().replaceAll('-', '_')}`;

const namesOf = (name: string, flag: Flag): string[] =>
  flag.alias === undefined ? [name] : [name, flag.alias.name];

const readSettingsFile = (
  path: string,
  named: boolean,
  readFile: Sources['readFile'],
): Map<string, RawValue> => {
  let content: string;
  try {
    content = readFile(path);
  } catch (error) {
    // The file at the default path is optional; an explicitly named file must exist.
    if (!named && (error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw new SettingsError(`cannot read the configuration file ${path}: ${(error as Error).message}`);
  }
  let parsed: unknown;
  try {
    parsed = readYaml(content, { mapAsMap: true });
  } catch (error) {
    throw new SettingsError(`the configuration file ${path} is not valid YAML: ${(error as Error).message}`);
  }
  if (parsed === null || parsed === undefined) return new Map();
  if (!(parsed instanceof Map)) {
    throw new SettingsError(`the configuration file ${path} must be a map of settings to values`);
  }
  return new Map([...parsed].map(([key, value]) => [String(key).toLowerCase(), value]));
};

/** `api: {port: 3031}` is read as `api-port: 3031` if that setting exists and is not set directly. */
const flattened = (
  file: ReadonlyMap<string, RawValue>,
  known: ReadonlySet<string>,
): ReadonlyMap<string, RawValue> => {
  const flat = new Map<string, RawValue>();
  for (const [key, value] of file) {
    if (known.has(key) || !(value instanceof Map)) {
      flat.set(key, value);
      continue;
    }
    for (const [inner, raw] of value) {
      const name = `${key}-${String(inner).toLowerCase()}`;
      if (!file.has(name)) flat.set(known.has(name) ? name : `${key}.${inner}`, raw);
    }
  }
  return flat;
};

/** The first source that sets a setting. */
const find = (
  program: Program<FlagTable>,
  name: string,
  flag: Flag,
  file: ReadonlyMap<string, RawValue>,
  path: string,
  sources: Sources,
): Found | null => {
  const names = namesOf(name, flag);
  for (const each of names) {
    const given = sources.flags[each];
    if (given !== undefined) return { raw: given, from: `flag --${each}` };
  }
  for (const each of names) {
    const variable = environmentName(program.environmentPrefix, each);
    const value = sources.environment[variable];
    if (value !== undefined && value !== '') return { raw: value, from: `environment variable ${variable}` };
  }
  for (const each of names) {
    const raw = file.get(each);
    if (raw !== undefined && raw !== null) return { raw, from: `${path}, key ${each}` };
  }
  return null;
};

const shown = (flag: Flag, raw: RawValue): string =>
  flag.secret === true ? 'a hidden value' : JSON.stringify(raw instanceof Map ? [...raw] : raw);

const settle = (name: string, flag: Flag, found: Found | null): SettingValue => {
  if (found === null) return flag.default;
  const read = readValue(flag, found.raw);
  if ('value' in read) return read.value;
  const raw = Array.isArray(found.raw) && found.raw.length === 1 ? found.raw[0] : found.raw;
  throw new SettingsError(`${name} ${read.wrong} (got ${shown(flag, raw)} from ${found.from})`);
};

const knownNames = (program: Program<FlagTable>): ReadonlySet<string> =>
  new Set(Object.entries(program.flags).flatMap(([name, flag]) => namesOf(name, flag)));

const warningsOf = (
  program: Program<FlagTable>,
  file: ReadonlyMap<string, RawValue>,
  path: string,
  given: GivenFlags,
): string[] => {
  const entries = Object.entries(program.flags);
  const deprecated = entries.flatMap(([name, { alias }]) =>
    alias?.deprecated === true ? [{ old: alias.name, name }] : [],
  );
  const known = knownNames(program);
  const advice = (key: string): string =>
    program.foreignKeys?.find((foreign) => foreign.key.test(key))?.advice ??
    `run ${program.name} start --help for the list of keys`;
  return [
    ...deprecated
      .filter(({ old }) => given[old] !== undefined)
      .map(({ old, name }) => `flag --${old} has been deprecated, please use --${name} instead`),
    ...deprecated
      .filter(({ old }) => file.has(old))
      .map(({ old, name }) => `config attribute ${old} has been deprecated, please use ${name} instead`),
    ...[...file.keys()]
      .filter((key) => !known.has(key))
      .map((key) => `unknown key ${key} in ${path} is ignored; ${advice(key)}`),
  ];
};

/** Resolves all settings of a program. Throws SettingsError. */
export const resolveSettings = <T extends FlagTable>(program: Program<T>, sources: Sources): Resolved<T> => {
  const entries = Object.entries(program.flags);
  const fileFlag = program.flags['config-file'];
  if (fileFlag === undefined) throw new Error(`${program.name} has no flag config-file`);
  const pathFound = find(program, 'config-file', fileFlag, new Map(), '', sources);
  const path = String(settle('config-file', fileFlag, pathFound));
  const file = flattened(readSettingsFile(path, pathFound !== null, sources.readFile), knownNames(program));
  const settings = Object.fromEntries(
    entries.map(([name, flag]) => [
      fieldName(name),
      settle(name, flag, find(program, name, flag, file, path, sources)),
    ]),
  ) as unknown as SettingsOf<T>;
  return { settings, warnings: warningsOf(program, file, path, sources.flags) };
};

export const readTextFile = (path: string): string => readFileSync(path, 'utf8');
