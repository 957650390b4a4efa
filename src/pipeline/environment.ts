// The runtime environment of a definition: variables of handler and mutator commands, the sensitive values among
// them, and the scripts of a filter.
// Later sources win: the base variables of every command (model/process-environment), runtime assets, env_vars,
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
  /** Removes the values of secrets, and of variables with sensitive names, from a text. */
  readonly scrub: (text: string) => string;
}

/** Users also put credentials into plain env_vars; these are recognized by name. */
const sensitiveName = /pass|secret|token|key|credential|webhook/i;

/** `NAME=value` as a pair; a bare `NAME` has no value. */
export const splitVariable = (entry: string): readonly [name: string, value: string | undefined] => {
  const at = entry.indexOf('=');
  return at === -1 ? [entry, undefined] : [entry.slice(0, at), entry.slice(at + 1)];
};

/** Rejects if a secret or an asset is not available. */
export const buildEnvironment = async (
  definition: Definition,
  namespace: string,
  deps: Pick<PipelineDeps, 'env' | 'loadAssets' | 'resolveSecrets' | 'span'>,
): Promise<Environment> => {
  const env: Record<string, string> = Object.assign(Object.create(null), commandVariables(deps.env));
  if (deps.span !== undefined) env.TRACEPARENT = deps.span.traceparent;
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

/** The scripts for a filter or a JavaScript mutator. Rejects if an asset is not available. */
export const scriptsOf = async (
  { runtime_assets: names }: Pick<Definition, 'runtime_assets'>,
  namespace: string,
  { loadAssets }: Pick<PipelineDeps, 'loadAssets'>,
): Promise<readonly string[]> =>
  names === null || names.length === 0 ? [] : (await loadAssets(namespace, names)).scripts();

/** Longest first, so that a secret that contains another is removed completely. */
export const scrubber = (values: readonly string[]): ((text: string) => string) => {
  const hidden = values
    .filter((value) => value.length >= minScrubbedSecretChars)
    .sort((a, b) => b.length - a.length);
  return (text) => hidden.reduce((clean, value) => clean.replaceAll(value, 'REDACTED'), text);
};
