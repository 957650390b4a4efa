// Token substitution: `{{ .labels.disk | default "sda" }}` in checks, hooks and assets, filled from an entity. The
// agent does it before it runs a check, the backend for proxy check requests.

import type { Entity } from '../entity/entity.ts';
import type { Decoded } from '../schema/decode.ts';
import { TemplateError } from './ast.ts';
import { functionNames } from './functions.ts';
import { parseTemplate } from './parser.ts';
import { runTemplate, UnmatchedToken } from './run.ts';
import { guarded, type IsTrusted, trustAnnotation, UntrustedValue } from './token-trust.ts';

export { assetPathVariable } from './functions.ts';

type Json = Readonly<Record<string, unknown>>;

const withDefaults = (system: Entity['system']): Json => ({
  hostname: '',
  os: '',
  platform: '',
  platform_family: '',
  platform_version: '',
  arch: '',
  arm_version: 0,
  float_type: '',
  ...system,
});

/** The entity as seen by tokens: metadata fields at the top level, all known keys present. Not redacted. */
export const tokenData = (entity: Entity): Json => ({
  name: entity.metadata.name,
  namespace: entity.metadata.namespace ?? '',
  labels: entity.metadata.labels ?? {},
  annotations: entity.metadata.annotations ?? {},
  created_by: entity.metadata.created_by ?? '',
  entity_class: entity.entity_class,
  system: withDefaults(entity.system),
  subscriptions: entity.subscriptions,
  last_seen: entity.last_seen,
  deregister: entity.deregister,
  deregistration: { handler: '', ...entity.deregistration },
  user: entity.user ?? '',
  redact: entity.redact ?? [],
  keepalive_handlers: entity.keepalive_handlers ?? [],
  mon_agent_version: entity.mon_agent_version,
  sensu_agent_version: entity.mon_agent_version,
});

const unidentified = 'found an undefined value but could not identify the token';

const none: ReadonlySet<string> = new Set();

class SubstitutionError extends Error {}

const render = (key: string, text: string, data: Json): string => {
  if (!text.includes('{{')) return text;
  try {
    return runTemplate(key, text, parseTemplate(key, text, functionNames), data);
  } catch (error) {
    if (error instanceof UnmatchedToken) {
      throw new SubstitutionError(`${key}: unmatched token: ${error.where ?? unidentified}`);
    }
    if (error instanceof UntrustedValue) throw new SubstitutionError(`${key}: ${error.message}`);
    if (!(error instanceof TemplateError)) throw error;
    if (error.phase === 'parse') {
      throw new SubstitutionError(`${key}: could not parse the template: ${error.message}`);
    }
    throw new SubstitutionError(`could not execute the template: ${error.message}`);
  }
};

const substituteItem = (key: string, item: unknown, index: number, data: Json): unknown => {
  try {
    return substituteValue(key, item, data, none);
  } catch (error) {
    if (!(error instanceof SubstitutionError)) throw error;
    throw new SubstitutionError(`couldn't evaluate template for ${key}: ${error.message} (array ${index})`);
  }
};

/** Substitutes strings at any depth; keys, numbers and booleans stay. */
const substituteValue = (key: string, value: unknown, data: Json, skip: ReadonlySet<string>): unknown => {
  if (typeof value === 'string') return render(key, value, data);
  if (Array.isArray(value)) return value.map((item, index) => substituteItem(key, item, index, data));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] => [
    name,
    skip.has(name) ? inner : substituteValue(name, inner, data, skip),
  ]);
  return Object.fromEntries(entries);
};

/** Renders one template. `name` is used in messages. */
export const substituteText = (name: string, text: string, data: Json): Decoded<string> =>
  attempt(() => render(name, text, data));

const attempt = <T>(substitute: () => T): Decoded<T> => {
  try {
    return { ok: true, value: substitute() };
  } catch (error) {
    if (!(error instanceof SubstitutionError)) throw error;
    return { ok: false, message: error.message };
  }
};

/**
 * A copy of a check, a hook or any plain data with all tokens substituted from `data` (see `tokenData`), or an
 * error such as `command: unmatched token: ...`. Only strings change, so shape and types stay.
 */
export const substituteTokens = <T>(resource: T, data: Json): Decoded<T> =>
  attempt(() => substituteValue('', resource, data, none) as T);

/** The field of a check or hook that is passed to a shell. */
const shellKey = 'command';

/** A check or a hook. */
export interface Runnable {
  readonly command?: string | undefined;
  readonly metadata?:
    | { readonly annotations?: Readonly<Record<string, string>> | null | undefined }
    | undefined;
}

/**
 * The same for a check or hook. Values that `isTrusted` does not accept are inserted into the command only if no
 * shell interprets them as syntax (see token-trust). Without `isTrusted`, all values are trusted.
 */
export const substituteCommand = <T extends Runnable>(
  runnable: T,
  data: Json,
  isTrusted: IsTrusted | undefined,
): Decoded<T> => {
  const { command } = runnable;
  const isFree = isTrusted === undefined || runnable.metadata?.annotations?.[trustAnnotation] === 'true';
  if (isFree || command === undefined || !command.includes('{{')) return substituteTokens(runnable, data);
  return attempt(() => {
    const filled = render(shellKey, command, guarded(data, isTrusted));
    const rest = substituteValue('', { ...runnable, command: '' }, data, none) as T;
    return { ...rest, command: filled };
  });
};

const checksumOnly: ReadonlySet<string> = new Set(['sha512']);

/** The same for an asset. Checksums are never templates, including those in `builds`. */
export const substituteAsset = <T>(asset: T, data: Json): Decoded<T> =>
  attempt(() => substituteAround(asset, data) as T);

const substituteAround = (value: unknown, data: Json): unknown => {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  const { builds, ...rest } = value as Json;
  const substituted = substituteValue('', rest, data, checksumOnly) as Json;
  if (!Array.isArray(builds)) return builds === undefined ? substituted : { ...substituted, builds };
  return { ...substituted, builds: builds.map((build) => substituteAround(build, data)) };
};
