// The environment of commands. Later layers win; search paths are prepended, never replaced.
import { delimiter } from 'node:path';

export type Environment = Readonly<Record<string, string>>;

const searchPaths: ReadonlySet<string> = new Set(['PATH', 'CPATH', 'LD_LIBRARY_PATH']);
const keyOf = (name: string) => (process.platform === 'win32' ? name.toUpperCase() : name);

/** `NAME=value` pairs; values may contain equals signs. Other entries are ignored. */
export const parseVariables = (pairs: readonly string[]): Environment => {
  const variables: Record<string, string> = Object.create(null);
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at > 0) variables[keyOf(pair.slice(0, at))] = pair.slice(at + 1);
  }
  return variables;
};

export const mergeEnvironments = (...layers: readonly Environment[]): Environment => {
  const merged: Record<string, string> = Object.create(null);
  for (const layer of layers)
    for (const [name, value] of Object.entries(layer)) {
      const key = keyOf(name);
      const before = merged[key];
      const prepends = searchPaths.has(key) && before !== undefined && before !== '' && value !== '';
      merged[key] = prepends ? `${value}${delimiter}${before}` : value;
    }
  return merged;
};
