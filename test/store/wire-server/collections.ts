// Where the stand-in keeps its documents: LMDB, a database a collection, the BSON of a document by its `_id`. A write is
// durable before it is answered, which is what `w: majority, j: true` promises.
import { type Database, open, type RootDatabase } from 'lmdb';
import { BSON } from 'mongodb';
import type { Doc } from './protocol.ts';
import { CommandError, compare, isDoc, matches } from './query.ts';

export interface Collection {
  get(id: unknown): Doc | undefined;
  /** In order of `_id`, within the bounds that the filter sets on it. */
  scan(filter: Doc): Iterable<Doc>;
  /** How many match; does not read the documents where a range of `_id` is all that is asked for. */
  count(filter: Doc): number;
  /** Only inside `Collections.write`. */
  put(doc: Doc): void;
  remove(id: unknown): void;
  clear(): void;
}

export interface Collections {
  of(database: string, name: string): Collection;
  names(database: string): string[];
  /** Runs `work` alone, and resolves when what it wrote is durable. */
  write<T>(work: () => T): Promise<T>;
  close(): Promise<void>;
}

const keyOf = (id: unknown): string => {
  if (typeof id === 'string') return id;
  if (id instanceof BSON.ObjectId) return `\u0001${id.toHexString()}`;
  throw new CommandError(
    2,
    'BadValue',
    `the stand-in holds documents whose _id is a string (got ${typeof id})`,
  );
};

const decode = (bytes: Buffer): Doc => BSON.deserialize(bytes, { promoteBuffers: true }) as Doc;

export const openCollections = (path: string): Collections => {
  const root: RootDatabase = open({
    path,
    maxDbs: 256,
    mapSize: 1024 ** 3,
    encoding: 'binary',
    noSubdir: false,
  });
  const catalogue: Database<string, string> = root.openDB({ name: 'catalogue', encoding: 'string' });
  const opened = new Map<string, Database<Buffer, string>>();

  const databaseOf = (full: string): Database<Buffer, string> => {
    let db = opened.get(full);
    if (db === undefined) {
      db = root.openDB<Buffer, string>({ name: full, encoding: 'binary' });
      opened.set(full, db);
    }
    return db;
  };

  const of = (database: string, name: string): Collection => {
    const full = `${database}.${name}`;
    const db = databaseOf(full);
    return {
      get: (id) => {
        const bytes = db.get(keyOf(id));
        return bytes && decode(bytes);
      },
      *scan(filter) {
        for (const { value } of db.getRange(boundsOf(filter._id))) yield decode(value);
      },
      count(filter) {
        if (isRangeOfIds(filter)) return db.getKeysCount(boundsOf(filter._id));
        let n = 0;
        for (const doc of this.scan(filter)) if (matches(doc, filter)) n += 1;
        return n;
      },
      put: (doc) => {
        if (catalogue.get(full) === undefined) catalogue.put(full, full);
        db.put(keyOf(doc._id), Buffer.from(BSON.serialize(doc)));
      },
      remove: (id) => void db.remove(keyOf(id)),
      clear: () => void db.clearAsync(),
    };
  };

  return {
    of,
    names: (database) =>
      [...catalogue.getKeys()].flatMap((full) =>
        full.startsWith(`${database}.`) ? [full.slice(database.length + 1)] : [],
      ),
    write: (work) => root.transaction(work),
    close: () => root.close(),
  };
};

/** Nothing but `_id` from `$gte` to before `$lt`: what `boundsOf` expresses exactly. */
const isRangeOfIds = (filter: Doc): boolean => {
  const { _id: id = {}, ...others } = filter;
  if (Object.keys(others).length > 0 || !isDoc(id)) return false;
  return Object.entries(id).every(
    ([operator, value]) => /^\$(gte|lt)$/.test(operator) && typeof value === 'string',
  );
};

const boundsOf = (id: unknown): { start?: string; end?: string } => {
  if (typeof id === 'string') return { start: id, end: `${id}\u0000` };
  if (!isDoc(id)) return {};
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  const lowest = text(id.$gte) ?? text(id.$gt);
  const highest = text(id.$lt) ?? (text(id.$lte) === undefined ? undefined : `${text(id.$lte)}\u0000`);
  if (lowest !== undefined && highest !== undefined && compare(lowest, highest) > 0)
    return { start: lowest, end: lowest };
  return {
    ...(lowest === undefined ? {} : { start: lowest }),
    ...(highest === undefined ? {} : { end: highest }),
  };
};
