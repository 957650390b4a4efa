// Encodes plain data by its field table. Empty values (0, false, "", null, empty lists) are omitted, as is standard
// for Protocol Buffers.
import { isObject } from '../../model/schema/is-object.ts';
import { ByteWriter, layouts } from './bytes.ts';
import type { Field, Json, Message } from './table.ts';

const items = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const bytesOfUuid = (text: string): Buffer => Buffer.from(text.replaceAll('-', ''), 'hex');

const writeNested = (writer: ByteWriter, number: number, write: (inner: ByteWriter) => void): void => {
  const inner = new ByteWriter();
  write(inner);
  writer.writeTag(number, layouts.bytes);
  writer.writeBytes(inner.written());
};

const writeText = (writer: ByteWriter, number: number, value: string): void => {
  writer.writeTag(number, layouts.bytes);
  writer.writeText(value);
};

/** Writes one JSON value as one or more messages. */
const writeMessages = (writer: ByteWriter, number: number, of: Message, value: unknown): void => {
  if (!isObject(value)) return;
  for (const each of of.adapter?.toMessages(value) ?? [value])
    writeNested(writer, number, (inner) => writeFields(inner, of, each));
};

const writeMap = (
  writer: ByteWriter,
  number: number,
  value: unknown,
  writeValue: (inner: ByteWriter, value: unknown) => void,
): void => {
  if (!isObject(value)) return;
  for (const [key, each] of Object.entries(value))
    writeNested(writer, number, (inner) => {
      writeText(inner, 1, key);
      writeValue(inner, each);
    });
};

const writeNumber = (writer: ByteWriter, field: Field, value: unknown): void => {
  if (typeof value !== 'number' || value === 0) return;
  if (field.kind === 'double') {
    writer.writeTag(field.number, layouts.fixed64);
    writer.writeDouble(value);
  } else if (Number.isFinite(value)) {
    writer.writeTag(field.number, layouts.varint);
    writer.writeInteger(value);
  }
};

const writeField = (writer: ByteWriter, field: Field, value: unknown): void => {
  const { kind, number } = field;
  switch (kind) {
    case 'text':
      if (typeof value === 'string' && value !== '') writeText(writer, number, value);
      return;
    case 'long':
      if (typeof value !== 'string') return writeNumber(writer, field, value);
      writer.writeTag(number, layouts.varint);
      return writer.writeInteger(BigInt(value));
    case 'integer':
    case 'double':
      return writeNumber(writer, field, value);
    case 'flag':
      if (value !== true) return;
      writer.writeTag(number, layouts.varint);
      return writer.writeInteger(1);
    case 'uuid':
      if (typeof value !== 'string' || value === '') return;
      writer.writeTag(number, layouts.bytes);
      return writer.writeBytes(bytesOfUuid(value));
    case 'texts':
      for (const item of items(value)) writeText(writer, number, String(item));
      return;
    case 'textMap':
      return writeMap(writer, number, value, (inner, each) => writeText(inner, 2, String(each)));
    case 'one':
      return writeMessages(writer, number, field.of, value);
    case 'many':
      for (const item of items(value)) writeMessages(writer, number, field.of, item);
      return;
    case 'messageMap':
      return writeMap(writer, number, value, (inner, each) => writeMessages(inner, 2, field.of, each));
  }
};

const writeFields = (writer: ByteWriter, of: Message, value: Json): void => {
  for (const field of of.fields) {
    const each = value[field.key];
    if (each !== undefined && each !== null) writeField(writer, field, each);
  }
};

/** Encodes a message. Keys that are not in its table are omitted. */
export const encodeMessage = (of: Message, value: object): Buffer => {
  const writer = new ByteWriter();
  writeFields(writer, of, value as Json);
  return writer.written();
};
