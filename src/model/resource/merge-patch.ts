// JSON merge patch (RFC 7396), used by PATCH. Pure; the result is decoded and validated like any other body.
import { isObject } from '../schema/is-object.ts';

type Json = Record<string, unknown>;

/** Keys that would set a prototype instead of a property. */
const isPoison = (key: string): boolean => key === '__proto__';

/**
 * Merges objects, removes keys set to `null`, and replaces everything else (RFC 7396, section 2). Does not modify
 * its arguments.
 */
export const mergePatch = (target: unknown, patch: unknown): unknown => {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (isPoison(key)) continue;
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  return Object.fromEntries(merged);
};

export type Patched =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly message: string };

/** The parts of a resource that identify it. They cannot change. */
export interface Identity {
  readonly name: string;
  readonly namespace?: string;
}

const identityFault = (patch: Json, identity: Identity): string | null => {
  const metadata = isObject(patch.metadata) ? patch.metadata : {};
  for (const part of ['name', 'namespace'] as const) {
    const given = metadata[part];
    if (given === undefined || given === null || given === '' || given === identity[part]) continue;
    return `the ${part} of the resource (${String(given)}) does not match the ${part} in the URI (${identity[part] ?? ''})`;
  }
  return null;
};

/**
 * Patches a resource with metadata. Rejects a patch with a different name or namespace; an empty name or namespace
 * leaves the old value.
 */
export const patchResource = (resource: object, patch: unknown, identity: Identity): Patched => {
  if (!isObject(patch)) return { ok: false, message: 'a merge patch must be an object' };
  const fault = identityFault(patch, identity);
  if (fault !== null) return { ok: false, message: fault };
  const merged = mergePatch(resource, patch) as Json;
  const metadata = isObject(merged.metadata) ? merged.metadata : {};
  return { ok: true, value: { ...merged, metadata: { ...metadata, ...identity } } };
};
