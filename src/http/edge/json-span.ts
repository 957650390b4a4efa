// Finds positions in a JSON document without parsing it. The document must be valid JSON.

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
/** The highest whitespace character between values. */
const space = 0x20;

/** A quote is part of the string if it follows an odd number of backslashes. */
const isEscaped = (bytes: Buffer, at: number): boolean => {
  let before = at - 1;
  while (bytes[before] === backslash) before -= 1;
  return (at - before) % 2 === 0;
};

/** The offset after the closing quote of the string at `start`; past the end if it is not closed. */
export const endOfString = (bytes: Buffer, start: number): number => {
  let at = bytes.indexOf(quote, start + 1);
  while (at >= 0 && isEscaped(bytes, at)) at = bytes.indexOf(quote, at + 1);
  return (at < 0 ? bytes.length : at) + 1;
};

const endOfContainer = (bytes: Buffer, start: number): number => {
  let depth = 0;
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === quote) {
      at = endOfString(bytes, at);
      continue;
    }
    at += 1;
    if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
      if (depth === 0) break;
    }
  }
  return at;
};

const endsScalar = (byte: number): boolean =>
  byte === comma || byte === closeBrace || byte === closeBracket || byte <= space;

/** The offset after the value at `start`. */
export const endOfValue = (bytes: Buffer, start: number): number => {
  const first = bytes[start];
  if (first === quote) return endOfString(bytes, start);
  if (first === openBrace || first === openBracket) return endOfContainer(bytes, start);
  let at = start;
  while (at < bytes.length && !endsScalar(bytes[at] ?? 0)) at += 1;
  return at;
};

/** A member of an object: its raw key without quotes, and the position of its value. */
export interface Member {
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

/** Shorter parts are compared in JavaScript: a native call costs as much as comparing thirty bytes. */
const shortBytes = 32;

/** Whether the bytes at `at` equal `part`. */
export const standsAt = (part: Buffer, bytes: Buffer, at: number): boolean => {
  if (at + part.length > bytes.length) return false;
  if (part.length > shortBytes) return part.compare(bytes, at, at + part.length) === 0;
  for (let index = 0; index < part.length; index += 1) {
    if (part[index] !== bytes[at + index]) return false;
  }
  return true;
};

const skip = (bytes: Buffer, start: number, punctuation: number): number => {
  let at = start;
  while (at < bytes.length && ((bytes[at] ?? 0) <= space || bytes[at] === punctuation)) at += 1;
  return at;
};

/** The members of the object at `start`, in order. */
export const membersOf = (bytes: Buffer, start: number): readonly Member[] => {
  const members: Member[] = [];
  let at = skip(bytes, start + 1, comma);
  while (bytes[at] === quote) {
    const endOfKey = endOfString(bytes, at);
    const valueAt = skip(bytes, endOfKey, colon);
    const end = endOfValue(bytes, valueAt);
    members.push({ key: bytes.toString('utf8', at + 1, endOfKey - 1), start: valueAt, end });
    at = skip(bytes, end, comma);
  }
  return members;
};
