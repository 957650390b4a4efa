// The field tables of checks, derived from the rows of their schema: numbers from its wire forms, types from its types.
import type { z } from 'zod';
import { checkSchema } from '../../model/check/check.ts';
import { wireForms } from '../../model/schema/wire-forms.ts';
import { bareSchema, definitionOf, formatOf } from '../../model/schema/zod-internals.ts';
import { double, flag, integer, type Message, many, type Numbered, one, text, texts } from './table.ts';

const typeOf = (schema: z.core.$ZodType): string => definitionOf(schema).type;

/** `of` is the message of its objects, if it has any. */
const numbered = (row: z.core.$ZodType, number: number, of: Message | undefined): Numbered | undefined => {
  const schema = bareSchema(row);
  const { type, element } = definitionOf(schema);
  if (type === 'string') return text(number);
  if (type === 'boolean') return flag(number);
  if (type === 'number') return formatOf(schema) === undefined ? double(number) : integer(number);
  if (element !== undefined && typeOf(element) === 'string') return texts(number);
  if (of === undefined) return undefined;
  return element === undefined ? one(number, of) : many(number, of);
};

/** The fields that a definition or a result has on the wire, ordered by number. Throws if a type has no binary form. */
export const checkFields = (
  part: 'definition' | 'result',
  messages: Readonly<Record<string, Message>>,
): Record<string, Numbered> => {
  const fields: (readonly [string, Numbered])[] = [];
  for (const [key, row] of Object.entries(checkSchema.shape)) {
    const number = wireForms.get(row)?.[part];
    if (number === undefined) continue;
    const field = numbered(row, number, messages[key]);
    if (field === undefined) throw new TypeError(`${key}: messages.ts names no message for its objects`);
    fields.push([key, field]);
  }
  return Object.fromEntries(fields.sort(([, one], [, other]) => one.number - other.number));
};
