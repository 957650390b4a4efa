// Serializes a check without serializing its definition again: the results of a check share the definition
// (http/edge/known-frame), and its text is cached for the same lifetime.
import type { Check } from '../model/check/check.ts';
import { type Definition, definitionOf, shareDefinition } from '../model/check/check-parts.ts';
import { knownJson } from '../model/schema/known-json.ts';

interface Written {
  readonly definition: Definition;
  /** Up to the value of `history`, which comes next. */
  readonly text: string;
}

/** Keyed by the metadata of the check, which is unique to a definition. */
const definitions = new WeakMap<object, Written>();

/** The start of the JSON of a check: its definition, and the key of its history. */
export const definitionText = (check: Check): string => {
  const known = definitions.get(check.metadata);
  if (known !== undefined && shareDefinition(known.definition, check)) return known.text;
  const definition = definitionOf(check);
  const text = `${JSON.stringify(definition).slice(0, -1)},"history":`;
  definitions.set(check.metadata, { definition, text });
  return text;
};

/** Whether the definition is shared by many results. */
export const isShared = ({ metadata }: { readonly metadata?: unknown }): boolean =>
  typeof metadata === 'object' && metadata !== null && knownJson(metadata) !== undefined;
