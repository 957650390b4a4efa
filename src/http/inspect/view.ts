// The displayable form of a context or event: secrets replaced, size and depth limited, special values named. Never
// throws.
import { defaultRedact } from '../../model/resource/redaction.ts';
import {
  maxFrameDepth,
  maxFrameEntries,
  maxFrameStringCharacters,
  maxViewDepth,
  maxViewEntries,
  maxViewStringCharacters,
} from './limits.ts';
import type { JsonValue } from './protocol.ts';

export interface ViewBounds {
  readonly depth: number;
  readonly entries: number;
  readonly characters: number;
}
export const fullView: ViewBounds = {
  depth: maxViewDepth,
  entries: maxViewEntries,
  characters: maxViewStringCharacters,
};
export const frameView: ViewBounds = {
  depth: maxFrameDepth,
  entries: maxFrameEntries,
  characters: maxFrameStringCharacters,
};

const redacted = 'REDACTED';

/** Names whose values are always secret, plus our own headers and hashes. */
const secretNames = new Set([
  ...defaultRedact,
  'secrets',
  'token',
  'access_token',
  'refresh_token',
  'password_hash',
  'authorization',
  'signature',
  'env_vars',
  'hash',
]);

/** A bounded, redacted copy as plain JSON. An entity's own `redact` list applies to everything beside it. */
export const view = (value: unknown, bounds: ViewBounds = fullView): JsonValue =>
  copy(value, bounds, bounds.depth, secretNames);

const copy = (value: unknown, bounds: ViewBounds, depth: number, secret: ReadonlySet<string>): JsonValue => {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return cut(value, bounds.characters);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'object') return `(${typeof value})`;
  if (value instanceof Error) return cut(`${value.name}: ${value.message}`, bounds.characters);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? String(value) : value.toISOString();
  if (value instanceof Map) return copy(ofMap(value), bounds, depth, secret);
  if (value instanceof Set) return copy([...value], bounds, depth, secret);
  if (depth <= 0) return Array.isArray(value) ? `[… ${value.length}]` : '{…}';
  if (Array.isArray(value)) return copyList(value, bounds, depth, secret);
  return copyObject(value as Record<string, unknown>, bounds, depth, withOwnList(value, secret));
};

const copyList = (
  list: readonly unknown[],
  bounds: ViewBounds,
  depth: number,
  secret: ReadonlySet<string>,
): JsonValue => {
  const shown = list.slice(0, bounds.entries).map((item) => copy(item, bounds, depth - 1, secret));
  return list.length > bounds.entries ? [...shown, `… ${list.length - bounds.entries} more`] : shown;
};

const copyObject = (
  value: Record<string, unknown>,
  bounds: ViewBounds,
  depth: number,
  secret: ReadonlySet<string>,
): JsonValue => {
  const keys = Object.keys(value);
  const shown = keys.slice(0, bounds.entries).map((key): [string, JsonValue] => {
    const isSecret = secret.has(key.toLowerCase()) && value[key] !== null && value[key] !== undefined;
    return [key, isSecret ? redacted : copy(value[key], bounds, depth - 1, secret)];
  });
  const rest = keys.length - shown.length;
  return Object.fromEntries(rest > 0 ? [...shown, ['…', `${rest} more`]] : shown);
};

const withOwnList = (value: object, secret: ReadonlySet<string>): ReadonlySet<string> => {
  const own = ownList(value);
  return own.length === 0 ? secret : new Set([...secret, ...own.map((name) => name.toLowerCase())]);
};

/** The redact list of an entity, or of the entity directly inside this value. */
const ownList = (value: object): readonly string[] => {
  const { redact, entity } = value as { redact?: unknown; entity?: unknown };
  const inner = typeof entity === 'object' && entity !== null ? ownList(entity) : [];
  return Array.isArray(redact) ? [...inner, ...redact.filter((name) => typeof name === 'string')] : inner;
};

const ofMap = (map: ReadonlyMap<unknown, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    [...map].map(([key, value]) => [typeof key === 'object' ? '(object)' : String(key), value]),
  );

const cut = (text: string, characters: number): string =>
  text.length <= characters ? text : `${text.slice(0, characters)}… ${text.length - characters} more`;
