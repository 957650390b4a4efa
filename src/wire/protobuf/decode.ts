// Decodes bytes to the same plain data that JSON.parse would return for the message, so that later code handles one
// form. Unknown fields are skipped; malformed input is reported with its position.
import { BrokenBytes, type ByteReader, layouts, ByteReader as Reader } from './bytes.ts';
import { maxMapEntries, uuidBytes } from './limits.ts';
import type { Field, Json, Message } from './table.ts';

export type DecodedMessage =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

const uuidCharacters = 36;
const dash = 0x2d;
const hexDigits = Buffer.from('0123456789abcdef');
/** The characters of one id: putting text together from parts would leave eight strings behind for each. */
const scratch = Buffer.alloc(uuidCharacters);

/** Sixteen bytes as the usual text. */
export const uuidText = (bytes: Buffer): string => {
  let at = 0;
  for (let index = 0; index < uuidBytes; index += 1) {
    if (index === 4 || index === 6 || index === 8 || index === 10) {
      scratch[at] = dash;
      at += 1;
    }
    const byte = bytes[index] ?? 0;
    scratch[at] = hexDigits[byte >> 4] as number;
    scratch[at + 1] = hexDigits[byte & 15] as number;
    at += 2;
  }
  return scratch.toString('latin1');
};

const textOfUuid = (bytes: Buffer, field: Field): string | null => {
  if (bytes.length === 0 || bytes.every((byte) => byte === 0)) return null;
  if (bytes.length !== uuidBytes) throw new BrokenBytes(`${field.key} must be ${uuidBytes} bytes long`);
  return uuidText(bytes);
};

const layoutOf = (field: Field): number => {
  if (field.kind === 'integer' || field.kind === 'long' || field.kind === 'flag') return layouts.varint;
  return field.kind === 'double' ? layouts.fixed64 : layouts.bytes;
};

const append = (into: Json, key: string, item: unknown): void => {
  const list = into[key];
  if (Array.isArray(list)) list.push(item);
  else into[key] = [item];
};

/** `__proto__` as a key would set the prototype. */
const entryKey = (field: Field, key: string): string => {
  if (key === '__proto__') throw new BrokenBytes(`${field.key}.${key} is not an allowed key`);
  return key;
};

interface Sizes {
  readonly of: WeakMap<object, number>;
}

const putEntry = (into: Json, field: Field, key: string, value: unknown, sizes: Sizes): void => {
  const map = (into[field.key] ?? {}) as Json;
  into[field.key] = map;
  const size = (sizes.of.get(map) ?? 0) + 1;
  if (size > maxMapEntries) throw new BrokenBytes(`${field.key} has more than ${maxMapEntries} keys`);
  sizes.of.set(map, size);
  map[entryKey(field, key)] = value;
};

const readEntry = (
  reader: ByteReader,
  field: Field,
  into: Json,
  sizes: Sizes,
  emptyValue: unknown,
  readValue: (entry: ByteReader) => unknown,
): void => {
  const entry = reader.readMessage();
  let key = '';
  let value = emptyValue;
  while (entry.hasMore) {
    const tag = entry.readTag();
    if (tag.number === 1 && tag.layout === layouts.bytes) key = entry.readText();
    else if (tag.number === 2 && tag.layout === layouts.bytes) value = readValue(entry);
    else entry.skip(tag.layout);
  }
  putEntry(into, field, key, value, sizes);
};

const readField = (reader: ByteReader, field: Field, into: Json, sizes: Sizes): void => {
  const { key } = field;
  switch (field.kind) {
    case 'text':
      into[key] = reader.readText();
      return;
    case 'integer':
      into[key] = reader.readInteger();
      return;
    case 'long':
      into[key] = reader.readLong();
      return;
    case 'double':
      into[key] = reader.readDouble();
      return;
    case 'flag':
      into[key] = reader.readInteger() !== 0;
      return;
    case 'uuid':
      into[key] = textOfUuid(reader.readBytes(), field);
      return;
    case 'texts':
      return append(into, key, reader.readText());
    case 'textMap':
      return readEntry(reader, field, into, sizes, '', (entry) => entry.readText());
    case 'messageMap':
      return readEntry(reader, field, into, sizes, {}, (entry) =>
        readFields(entry.readMessage(), field.of, {}, sizes),
      );
    case 'one':
      // A message split into two parts is merged: the later part extends the earlier one.
      into[key] = readFields(reader.readMessage(), field.of, (into[key] ?? {}) as Json, sizes);
      return;
    case 'many':
      return append(into, key, readFields(reader.readMessage(), field.of, {}, sizes));
  }
};

const readFields = (reader: ByteReader, of: Message, into: Json, sizes: Sizes): Json => {
  while (reader.hasMore) {
    const { number, layout } = reader.readTag();
    const field = of.byNumber.get(number);
    if (field === undefined) reader.skip(layout);
    else if (layout === layoutOf(field)) readField(reader, field, into, sizes);
    else throw new BrokenBytes(`${of.name}.${field.key} cannot have wire type ${layout}`);
  }
  return of.adapter?.toJson(into) ?? into;
};

/** Never throws on bad input; returns what is wrong and where. */
export const decodeMessage = (of: Message, bytes: Buffer): DecodedMessage => {
  try {
    return { ok: true, value: readFields(new Reader(bytes), of, {}, { of: new WeakMap() }) };
  } catch (error) {
    if (!(error instanceof BrokenBytes)) throw error;
    return { ok: false, message: `not a valid ${of.name}: ${error.message}` };
  }
};
