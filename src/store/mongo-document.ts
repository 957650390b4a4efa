// Records as MongoDB documents, readable in a shell: times are dates, `state` is a sub-document.
//
// Data is untrusted, and field names may contain dots (as in annotations), a leading `$`, or names the driver
// reserves. Such characters are replaced by full-width look-alikes, as the MongoDB manual once recommended, so that
// no name becomes an operator; a look-alike in the data is escaped with a full-width backslash.
import { maxRecordBytes } from './limits.ts';
import { checkEnvelope } from './record-codec.ts';
import { type StoredDeadline, type StoredRecord, StoreError } from './snapshot-store.ts';

const wideDot = '\uff0e';
const wideDollar = '\uff04';
const wideBackslash = '\uff3c';
/** MongoDB allows 100 levels; the envelope uses some of them. */
const maxDepth = 90;

export interface RecordDocument {
  readonly _id: string;
  readonly machine: string;
  readonly version: number;
  readonly rev: number;
  readonly savedAt: Date | number;
  readonly deadlines: readonly { readonly name: string; readonly at: Date | number }[];
  readonly state: unknown;
  /** The process and commit that wrote it; distinguishes the writes of this commit from existing documents. */
  readonly writer: string;
}

/** Throws StoreError('invalid') if the record is not JSON, too deep or too large. */
export function toDocument(kind: string, key: string, record: StoredRecord, writer: string): RecordDocument {
  const fields = new FieldWriter(`${kind} ${key}`);
  return {
    _id: key,
    machine: record.machine,
    version: record.version,
    rev: record.rev,
    savedAt: toDate(record.savedAtMs),
    deadlines: record.deadlines.map(({ name, atMs }) => ({ name, at: toDate(atMs) })),
    state: fields.write(record.state, 0) ?? null,
    writer,
  };
}

/** Throws UnreadableRecord with the reason if the document is not a valid record. */
export function fromDocument(document: Readonly<Record<string, unknown>>): StoredRecord {
  const { machine, version, rev, savedAt, deadlines, state } = document;
  return checkEnvelope({
    machine,
    version,
    rev,
    savedAtMs: toMs(savedAt),
    deadlines: Array.isArray(deadlines) ? deadlines.map(toDeadline) : deadlines,
    state: readFields(state),
  });
}

const toDeadline = ({ name, at }: { name: string; at: unknown }): StoredDeadline =>
  ({ name, atMs: toMs(at) }) as StoredDeadline;

const toDate = (ms: number): Date | number =>
  Number.isSafeInteger(ms) && Math.abs(ms) <= 8.64e15 ? new Date(ms) : ms;

const toMs = (value: unknown): unknown => (value instanceof Date ? value.getTime() : value);

/** Copies data as JSON.stringify would, with escaped field names. */
class FieldWriter {
  readonly #what: string;
  #bytes = 0;

  constructor(what: string) {
    this.#what = what;
  }

  write(value: unknown, depth: number): unknown {
    this.#spend(8);
    if (typeof value === 'string') this.#spend(value.length);
    if (typeof value === 'number') return Number.isFinite(value) ? value : null;
    if (typeof value === 'bigint') throw this.#refuse('a BigInt is not plain JSON data');
    if (typeof value === 'function' || typeof value === 'symbol') return undefined;
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= maxDepth) throw this.#refuse(`nested deeper than ${maxDepth} levels`);
    if (Array.isArray(value)) return value.map((item) => this.write(item, depth + 1) ?? null);
    if ('toJSON' in value && typeof value.toJSON === 'function') return this.write(value.toJSON(), depth + 1);
    return this.#writeFields(value, depth);
  }

  #writeFields(value: object, depth: number): object {
    const fields: Record<string, unknown> = {};
    for (const [name, item] of Object.entries(value)) {
      const written = this.write(item, depth + 1);
      this.#spend(name.length);
      if (written !== undefined) setField(fields, safeName(name), written);
    }
    return fields;
  }

  #spend(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > maxRecordBytes) throw this.#refuse(`a record must be at most ${maxRecordBytes} bytes`);
  }

  #refuse(why: string): StoreError {
    return new StoreError('invalid', `${this.#what}: the record can't be stored: ${why}`);
  }
}

function readFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(readFields);
  const fields: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) setField(fields, plainName(name), readFields(item));
  return fields;
}

/** Assignment to `__proto__` would set the prototype instead of a field. */
function setField(fields: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') fields[name] = value;
  else Object.defineProperty(fields, name, { value, enumerable: true, writable: true, configurable: true });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a field name of BSON can't hold NUL, so it is looked for
const needsMark = /[.\u0000\uff0e\uff04\uff3c]|^\$|^_bsontype$|^$/u;
const marks = /\uff3c(.)|\uff0e|\uff04/gsu;

export function safeName(name: string): string {
  if (!needsMark.test(name)) return name;
  if (name === '' || name === '_bsontype') return `${wideBackslash}_${name}`;
  const marked = name
    .replace(/[\uff0e\uff04\uff3c]/gu, (mark) => wideBackslash + mark)
    .replaceAll('.', wideDot)
    .replaceAll('\u0000', `${wideBackslash}0`);
  return marked.startsWith('$') ? wideDollar + marked.slice(1) : marked;
}

export function plainName(name: string): string {
  return name.replace(marks, (mark, marked: string | undefined) => {
    if (marked === '0') return '\u0000';
    if (marked === '_') return '';
    return marked ?? (mark === wideDot ? '.' : '$');
  });
}
