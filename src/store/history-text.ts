// Serializes the history of a check: twenty-one pairs of small numbers, a fifth of its record, written with every
// result. `JSON.stringify` inspects every type, and text made of parts is garbage before it is bytes, so that the
// store writes the digits where they belong.

interface PlainEntry {
  readonly status: number;
  readonly executed: number;
}

/** A history that can be written as bytes. */
export type PlainHistory = readonly PlainEntry[];

/** The common form of an entry: exactly these two keys, in this order. */
const isPlain = (entry: unknown): entry is PlainEntry => {
  if (typeof entry !== 'object' || entry === null) return false;
  let keys = 0;
  for (const key in entry) {
    if (key !== (keys === 0 ? 'status' : 'executed')) return false;
    keys += 1;
  }
  const { status, executed } = entry as { readonly status?: unknown; readonly executed?: unknown };
  return keys === 2 && Number.isSafeInteger(status) && Number.isSafeInteger(executed);
};

export const isPlainHistory = (history: readonly unknown[]): history is PlainHistory => {
  for (const entry of history) if (!isPlain(entry)) return false;
  return true;
};

const statusKey = Buffer.from('{"status":');
const executedKey = Buffer.from(',"executed":');
const [comma, minus, zero, open, close, end] = [0x2c, 0x2d, 0x30, 0x5b, 0x5d, 0x7d];

/** Keys, punctuation, and two numbers of 16 digits and a sign. */
const maxEntryBytes = 64;

/** At most so many bytes are written for a history. */
export const maxHistoryBytes = (history: PlainHistory): number => history.length * maxEntryBytes + 2;

const writeBytes = (bytes: Buffer, at: number, source: Buffer): number => {
  for (let index = 0; index < source.length; index += 1) bytes[at + index] = source[index] as number;
  return at + source.length;
};

/** A safe integer in decimal; returns where it ends. */
export const writeInteger = (bytes: Buffer, at: number, value: number): number => {
  let start = at;
  let rest = value;
  if (rest < 0) {
    bytes[start] = minus;
    start += 1;
    rest = -rest;
  }
  let digits = 1;
  for (let power = 10; power <= rest; power *= 10) digits += 1;
  for (let place = start + digits - 1; place >= start; place -= 1) {
    const next = Math.floor(rest / 10);
    bytes[place] = zero + (rest - next * 10);
    rest = next;
  }
  return start + digits;
};

/** Byte for byte the same as `JSON.stringify(history)`, at `from`; returns where it ends. */
export const writeHistory = (bytes: Buffer, from: number, history: PlainHistory): number => {
  let at = from;
  for (const entry of history) {
    bytes[at] = at === from ? open : comma;
    at = writeInteger(bytes, writeBytes(bytes, at + 1, statusKey), entry.status);
    at = writeInteger(bytes, writeBytes(bytes, at, executedKey), entry.executed);
    bytes[at] = end;
    at += 1;
  }
  if (at === from) {
    bytes[at] = open;
    at += 1;
  }
  bytes[at] = close;
  return at + 1;
};
