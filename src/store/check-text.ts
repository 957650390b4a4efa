// Serializes a check without serializing its definition again: the results of a check share the definition
// (http/edge/known-frame), and its text is cached for the same lifetime.
import type { Check } from '../model/check.ts';
import { type Definition, definitionOf, resultOf, shareDefinition } from '../model/check-parts.ts';
import { knownJson } from '../model/known-json.ts';
import { historyText } from './history-text.ts';

interface Written {
  readonly definition: Definition;
  /** Without the braces. */
  readonly text: string;
}

/** Keyed by the metadata of the check, which is unique to a definition. */
const definitions = new WeakMap<object, Written>();

const definitionText = (check: Check): string => {
  const known = definitions.get(check.metadata);
  if (known !== undefined && shareDefinition(known.definition, check)) return known.text;
  const definition = definitionOf(check);
  const text = JSON.stringify(definition).slice(1, -1);
  definitions.set(check.metadata, { definition, text });
  return text;
};

/** Whether the definition is shared by many results. */
export const isShared = ({ metadata }: { readonly metadata?: unknown }): boolean =>
  typeof metadata === 'object' && metadata !== null && knownJson(metadata) !== undefined;

/**
 * The same as `JSON.stringify(check)`, but with a different key order. The check must have exactly the fields of
 * its schema.
 */
export const checkText = (check: Check): string => {
  const result = JSON.stringify(resultOf(check)).slice(1);
  const history = check.history === null ? 'null' : historyText(check.history);
  return `{${definitionText(check)},"history":${history},${result}`;
};
