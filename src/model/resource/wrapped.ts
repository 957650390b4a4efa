// The wrapped form `{type, api_version, metadata, spec}` used by files, mon-ctl and the enterprise routes.
// Core routes use the unwrapped form, with the fields beside `metadata`.

import type { Decoded } from '../schema/decode.ts';
import { isObject } from '../schema/is-object.ts';

type Json = Record<string, unknown>;

export interface Wrapped {
  readonly type: string;
  readonly api_version: string;
  readonly metadata: Json;
  readonly spec: Json;
}

/** Has the keys that only the wrapped form has: a type and a spec. */
export const isWrapped = (value: unknown): boolean =>
  isObject(value) && isObject(value.spec) && Object.keys(value).some((key) => key.toLowerCase() === 'type');

/** Moves the metadata out; everything else becomes the spec. */
export const wrap = (type: string, apiVersion: string, resource: object): Wrapped => {
  const { metadata, ...spec } = resource as Json;
  return { type, api_version: apiVersion, metadata: isObject(metadata) ? metadata : {}, spec };
};

/** The unwrapped form: the spec's fields beside the metadata. */
export const unwrap = (wrapped: Wrapped): Json => ({ ...wrapped.spec, metadata: wrapped.metadata });

const wrapperKeys = ['type', 'api_version', 'metadata', 'spec'] as const;

/** The four keys in lower case. Input is case-insensitive, since the interface uses `Type` in one place. */
export const lowerWrapperKeys = (raw: unknown): unknown => {
  if (!isObject(raw)) return raw;
  const entries = Object.entries(raw).map(([key, value]): [string, unknown] => {
    const lower = key.toLowerCase();
    return [(wrapperKeys as readonly string[]).includes(lower) ? lower : key, value];
  });
  return Object.fromEntries(entries);
};

const refused = (message: string): Decoded<Wrapped> => ({ ok: false, message });

/** Reads the outer form only; the kind decodes the resource inside. */
export const readWrapped = (raw: unknown): Decoded<Wrapped> => {
  const { type, api_version: version, metadata, spec } = (lowerWrapperKeys(raw) ?? {}) as Json;
  if (!isObject(raw))
    return refused('a resource must be an object with type, api_version, metadata and spec');
  if (typeof type !== 'string' || type === '') return refused('type is required, e.g. "CheckConfig"');
  if (version !== undefined && typeof version !== 'string') return refused('api_version must be a string');
  if (metadata !== undefined && metadata !== null && !isObject(metadata)) {
    return refused('metadata must be an object');
  }
  if (spec !== undefined && spec !== null && !isObject(spec)) return refused('spec must be an object');
  const value = { type, api_version: version ?? '', metadata: metadata ?? {}, spec: spec ?? {} };
  return { ok: true, value };
};
