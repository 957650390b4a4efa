// What a definition runs with: the environment of a handler's or mutator's command, the values in it that must not
// come back to light, and the scripts of a filter.
// Later wins: the few variables every command starts from (model/process-environment), runtime assets, env_vars,
// secrets.
import { commandVariables } from '../model/process-environment.ts';
import { minScrubbedSecretChars, minScrubbedVariableChars } from './limits.ts';
import type { PipelineDeps, SecretReference } from './ports.ts';

interface Definition {
  readonly env_vars: readonly string[] | null;
  readonly runtime_assets: readonly string[] | null;
  readonly secrets: readonly SecretReference[] | null;
}

export interface Environment {
  readonly env: Readonly<Record<string, string>>;
  /** Replaces the values of secrets, and of variables named like one, in a text. */
  readonly scrub: (text: string) => string;
}

/** People put credentials into plain env_vars too; their names give them away. */
const sensitiveName = /pass|secret|token|key|credential|webhook/i;

/** `NAME=value` as a pair; a bare `NAME` has no value. */
export const splitVariable = (entry: string): readonly [name: string, value: string | undefined] => {
  const at = entry.indexOf('=');
  return at === -1 ? [entry, undefined] : [entry.slice(0, at), entry.slice(at + 1)];
};

/** Rejects when a secret or an asset can't be had. */
export const buildEnvironment = async (
  definition: Definition,
  namespace: string,
  deps: Pick<PipelineDeps, 'env' | 'loadAssets' | 'resolveSecrets'>,
): Promise<Environment> => {
  const env: Record<string, string> = Object.assign(Object.create(null), commandVariables(deps.env));
  const hidden: string[] = [];
  const assets = definition.runtime_assets ?? [];
  if (assets.length > 0) Object.assign(env, (await deps.loadAssets(namespace, assets)).env);
  for (const entry of definition.env_vars ?? []) {
    const [name, value] = splitVariable(entry);
    if (value === undefined || name === '') continue;
    env[name] = value;
    if (sensitiveName.test(name) && value.length >= minScrubbedVariableChars) hidden.push(value);
  }
  const references = definition.secrets ?? [];
  for (const entry of references.length > 0 ? await deps.resolveSecrets(namespace, references) : []) {
    const [name, value] = splitVariable(entry);
    if (value === undefined || name === '') continue;
    env[name] = value;
    hidden.push(value);
  }
  return { env, scrub: scrubber(hidden) };
};

/** The scripts a filter or a JavaScript mutator brings along. Rejects when an asset can't be had. */
export const scriptsOf = async (
  { runtime_assets: names }: Pick<Definition, 'runtime_assets'>,
  namespace: string,
  { loadAssets }: Pick<PipelineDeps, 'loadAssets'>,
): Promise<readonly string[]> =>
  names === null || names.length === 0 ? [] : (await loadAssets(namespace, names)).scripts();

/** Longest first, so that a secret inside another leaves nothing of either. */
export const scrubber = (values: readonly string[]): ((text: string) => string) => {
  const hidden = values
    .filter((value) => value.length >= minScrubbedSecretChars)
    .sort((a, b) => b.length - a.length);
  return (text) => hidden.reduce((clean, value) => clean.replaceAll(value, 'REDACTED'), text);
};
