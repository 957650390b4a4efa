// Tables of fields: which JSON key lies under which number, and how. A message is written and read by its table alone;
// keys and fields that no table names are left out and passed over.

/** Where the JSON form of a message is not simply its fields: how one becomes the other. */
export interface Adapter {
  /** One value of JSON may be several messages. */
  readonly toMessages: (json: Json) => readonly Json[];
  readonly toJson: (message: Json) => Json;
}

export type Json = Record<string, unknown>;

export interface Message {
  /** For complaints. */
  readonly name: string;
  readonly fields: readonly Field[];
  readonly byNumber: ReadonlyMap<number, Field>;
  readonly adapter?: Adapter;
}

type Kind =
  | { readonly kind: 'text' | 'integer' | 'long' | 'double' | 'flag' | 'uuid' | 'texts' | 'textMap' }
  | { readonly kind: 'one' | 'many' | 'messageMap'; readonly of: Message };
type Numbered = Kind & { readonly number: number };
export type Field = Numbered & { readonly key: string };

const scalar =
  (kind: 'text' | 'integer' | 'long' | 'double' | 'flag' | 'uuid' | 'texts' | 'textMap') =>
  (number: number): Numbered => ({ kind, number });

export const text = scalar('text');
/** Any of the integer types without zigzag: they lie the same way. */
export const integer = scalar('integer');
/** One that may be past the exact numbers: then it is a text of digits, as in exact-timestamps. */
export const long = scalar('long');
export const double = scalar('double');
export const flag = scalar('flag');
/** Sixteen bytes; in JSON the usual text. */
export const uuid = scalar('uuid');
export const texts = scalar('texts');
export const textMap = scalar('textMap');
export const one = (number: number, of: Message): Numbered => ({ kind: 'one', number, of });
export const many = (number: number, of: Message): Numbered => ({ kind: 'many', number, of });
/** From texts to messages. */
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
