// Field tables: maps JSON keys to field numbers and types. Encoding and decoding use only the table; unlisted keys
// and fields are skipped.

/** Converts between the JSON form and the message, where they are not simply the same fields. */
export interface Adapter {
  /** One JSON value may become several messages. */
  readonly toMessages: (json: Json) => readonly Json[];
  readonly toJson: (message: Json) => Json;
}

export type Json = Record<string, unknown>;

export interface Message {
  /** For error messages. */
  readonly name: string;
  readonly fields: readonly Field[];
  readonly byNumber: ReadonlyMap<number, Field>;
  readonly adapter?: Adapter;
}

type Kind =
  | { readonly kind: 'text' | 'integer' | 'long' | 'double' | 'flag' | 'uuid' | 'texts' | 'textMap' }
  | { readonly kind: 'one' | 'many' | 'messageMap'; readonly of: Message };
export type Numbered = Kind & { readonly number: number };
export type Field = Numbered & { readonly key: string };

const scalar =
  (kind: 'text' | 'integer' | 'long' | 'double' | 'flag' | 'uuid' | 'texts' | 'textMap') =>
  (number: number): Numbered => ({ kind, number });

export const text = scalar('text');
/** Any integer type without zigzag encoding; they share one representation. */
export const integer = scalar('integer');
/** May exceed the safe integers; then it is a digit string, as in exact-timestamps. */
export const long = scalar('long');
export const double = scalar('double');
export const flag = scalar('flag');
/** Sixteen bytes; the usual text form in JSON. */
export const uuid = scalar('uuid');
export const texts = scalar('texts');
export const textMap = scalar('textMap');
export const one = (number: number, of: Message): Numbered => ({ kind: 'one', number, of });
export const many = (number: number, of: Message): Numbered => ({ kind: 'many', number, of });
/** A map from strings to messages. */
export const messageMap = (number: number, of: Message): Numbered => ({ kind: 'messageMap', number, of });

/** A message with its fields by JSON key. */
export const message = (
  name: string,
  fields: Readonly<Record<string, Numbered>>,
  adapter?: Adapter,
): Message => {
  const list = Object.entries(fields).map(([key, field]): Field => ({ ...field, key }));
  return {
    name,
    fields: list,
    byNumber: new Map(list.map((field) => [field.number, field])),
    ...(adapter === undefined ? {} : { adapter }),
  };
};
