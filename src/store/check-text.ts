// A check as JSON, without writing its definition again: the results of a check share it (http/edge/known-frame), and its
// text is kept for as long as they do.
import type { Check } from '../model/check.ts';
import { type Definition, definitionOf, resultOf, shareDefinition } from '../model/check-parts.ts';
import { knownJson } from '../model/known-json.ts';
import { historyText } from './history-text.ts';

interface Written {
  readonly definition: Definition;
  /** Without the braces. */
  readonly text: string;
}

/** By the metadata of the check: the part of a definition that no two have in common. */
const definitions = new WeakMap<object, Written>();

const definitionText = (check: Check): string => {
  const known = definitions.get(check.metadata);
  if (known !== undefined && shareDefinition(known.definition, check)) return known.text;
  const definition = definitionOf(check);
  const text = JSON.stringify(definition).slice(1, -1);
  definitions.set(check.metadata, { definition, text });
  return text;
};

/** Whether its definition is one that many results share. */
export const isShared = ({ metadata }: { readonly metadata?: unknown }): boolean =>
  typeof metadata === 'object' && metadata !== null && knownJson(metadata) !== undefined;

/** What `JSON.stringify(check)` gives, in another order. The check must have the fields of its schema and no others. */
export const checkText = (check: Check): string => {
  const result = JSON.stringify(resultOf(check)).slice(1);
  const history = check.history === null ? 'null' : historyText(check.history);
  return `{${definitionText(check)},"history":${history},${result}`;
};
