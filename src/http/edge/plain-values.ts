// Parses single values in the bytes of a JSON document if they are in the common plain form. Other forms may also
// be valid; then the whole document is parsed (known-frame).

import { isUuid } from '../../model/event/event-rules.ts';
import { maxUnsigned32 } from '../../model/limits.ts';
import { endOfString } from './json-span.ts';

/** A value and its end offset. */
interface ReadValue<T> {
  readonly value: T;
  readonly end: number;
}

/** Undefined if the value is not in plain form. */
export type Reader<T> = (bytes: Buffer, start: number) => ReadValue<T> | undefined;

const quote = 0x22;
const zero = 0x30;
/** Maximum number of digits: all such integers are safe. */
const maxDigits = 15;
const uuidCharacters = 36;

export const readInteger: Reader<number> = (bytes, start) => {
  let value = 0;
  let end = start;
  for (let digit = (bytes[end] ?? 0) - zero; digit >= 0 && digit <= 9; digit = (bytes[end] ?? 0) - zero) {
    value = value * 10 + digit;
    end += 1;
  }
  const digits = end - start;
  const isPlain = digits > 0 && digits <= maxDigits && (bytes[start] !== zero || digits === 1);
  return isPlain ? { value, end } : undefined;
};

export const readStatus: Reader<number> = (bytes, start) => {
  const read = readInteger(bytes, start);
  return read !== undefined && read.value <= maxUnsigned32 ? read : undefined;
};

export const readUuid: Reader<string> = (bytes, start) => {
  const end = start + uuidCharacters + 2;
  if (bytes[start] !== quote || bytes[end - 1] !== quote) return undefined;
  const value = bytes.toString('latin1', start + 1, end - 1);
  return isUuid(value) ? { value, end } : undefined;
};

/** Uses JSON.parse; undefined if that fails. */
const parseScalar = (bytes: Buffer, start: number, end: number): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8', start, end));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

export const readText: Reader<string> = (bytes, start) => {
  if (bytes[start] !== quote) return undefined;
  const end = endOfString(bytes, start);
  const value = end > bytes.length ? undefined : parseScalar(bytes, start, end);
  return typeof value === 'string' ? { value, end } : undefined;
};

const plus = 0x2b;
const minus = 0x2d;
const point = 0x2e;
const isOfNumber = (byte: number): boolean =>
  (byte >= zero && byte <= zero + 9) ||
  byte === point ||
  byte === minus ||
  byte === plus ||
  (byte | 0x20) === 0x65; // e or E

export const readNumber: Reader<number> = (bytes, start) => {
  let end = start;
  while (isOfNumber(bytes[end] ?? 0)) end += 1;
  const value = parseScalar(bytes, start, end);
  return typeof value === 'number' && Number.isFinite(value) ? { value, end } : undefined;
};
