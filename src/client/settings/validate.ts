// Validates a whole configuration, in the order of the reference product: its own scope, the transport, all
// definitions, then the client.

import { checkDefinitionProblems } from '../../model/earlier/check-rules.ts';
import { clientRows } from '../../model/earlier/client-rules.ts';
import { isMap, type Json } from '../../model/earlier/json.ts';
import { judge, type Problem, type Row } from '../../model/earlier/rule-table.ts';
import {
  extensionProblems,
  filterProblems,
  handlerProblems,
  mutatorProblems,
  productRows,
  transportRows,
} from './other-rules.ts';

const categories: readonly (readonly [string, string, (definition: Json) => string[]])[] = [
  ['checks', 'check', checkDefinitionProblems],
  ['filters', 'filter', filterProblems],
  ['mutators', 'mutator', mutatorProblems],
  ['handlers', 'handler', handlerProblems],
  ['extensions', 'extension', extensionProblems],
];

const scopeProblems = (settings: Json, name: string, rows: readonly Row[]): Problem[] => {
  const scope = settings[name];
  const messages = isMap(scope) ? judge(scope, rows) : [`${name} must be a hash`];
  return messages.map((message) => ({ object: scope, message }));
};

const categoryProblems = (settings: Json): Problem[] =>
  categories.flatMap(([category, singular, judgeOne]) => {
    const definitions = settings[category];
    if (!isMap(definitions)) return [{ object: definitions, message: `${category} must be a hash` }];
    return Object.entries(definitions).flatMap(([name, definition]): Problem[] => {
      if (!isMap(definition)) return [{ object: definition, message: `${singular} must be a hash` }];
      const object = { ...definition, name };
      return judgeOne(object).map((message) => ({ object, message }));
    });
  });

/** All problems, not only the first. */
export const validate = (settings: Json): readonly Problem[] => [
  ...scopeProblems(settings, 'sensu', productRows),
  ...scopeProblems(settings, 'transport', transportRows),
  ...categoryProblems(settings),
  ...scopeProblems(settings, 'client', clientRows),
];
