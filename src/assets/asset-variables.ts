// The environment variables that make assets available to commands: the search paths, and `<NAME>_PATH` for each
// asset.
import { join } from 'node:path';
import { assetPathVariable } from '../model/template/token-substitution.ts';
import { type Environment, mergeEnvironments } from '../program/environment.ts';

export const assetVariables = (installed: readonly { name: string; path: string }[]): Environment => {
  // The first asset must come first in the search paths, so it is merged last.
  const layers = [...installed].reverse().map(({ name, path }) => ({
    PATH: join(path, 'bin'),
    LD_LIBRARY_PATH: join(path, 'lib'),
    CPATH: join(path, 'include'),
    [assetPathVariable(name)]: path,
  }));
  return mergeEnvironments(...layers);
};

/** The same variables, with the search paths of an existing environment appended. */
export const inFrontOf = (
  env: Readonly<Record<string, string | undefined>>,
  variables: Environment,
): Environment => {
  const there = Object.keys(variables).flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return mergeEnvironments(Object.fromEntries(there), variables);
};
