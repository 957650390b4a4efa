// The commands of the stand-in: what the driver sends to greet, and what the store sends to read and write. An unknown one is
// refused by its name (59 CommandNotFound).
import { BSON } from 'mongodb';
import type { Collection, Collections } from './collections.ts';
import type { Doc } from './protocol.ts';
import { CommandError, isReplacement, matches, pinnedBy, projected, sorted, updated } from './query.ts';

export interface Role {
  /** Announced by hello; absent: a server of its own. */
  readonly replicaSet?: string;
  /** `host:port`, as members know it. */
  readonly address: string;
  readonly isPrimary: () => boolean;
  readonly stepDown: (seconds: number) => void;
}

export type RunCommand = (command: Doc) => Promise<Doc>;

interface WriteError {
  readonly index: number;
  readonly code: number;
  readonly errmsg: string;
}

/** Drivers read the id of a cursor as a 64-bit integer. */
const cursorId = (id: number): unknown => BSON.Long.fromNumber(id);

const maxBsonObjectSize = 16 * 1024 * 1024;
const defaultBatch = 101;
const writes = new Set([
  'insert',
  'update',
  'delete',
  'findAndModify',
  'findandmodify',
  'drop',
  'dropDatabase',
]);

export const createCommands = (collections: Collections, role: Role): RunCommand => {
  const cursors = new Map<number, Doc[]>();
  let lastCursor = 0;
  let clockAheadMs = 0;

  const hello = (): Doc => ({
    ...(role.replicaSet === undefined
      ? { isWritablePrimary: true, ismaster: true }
      : {
          isWritablePrimary: role.isPrimary(),
          ismaster: role.isPrimary(),
          secondary: !role.isPrimary(),
          setName: role.replicaSet,
          setVersion: 1,
          hosts: [role.address],
          ...(role.isPrimary() ? { primary: role.address } : {}),
          me: role.address,
        }),
    maxBsonObjectSize,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: 100_000,
    localTime: new Date(Date.now() + clockAheadMs),
    logicalSessionTimeoutMinutes: 30,
    minWireVersion: 0,
    maxWireVersion: 21,
    readOnly: false,
  });

  const collectionOf = (command: Doc, name: string): Collection =>
    collections.of(String(command.$db), String(command[name]));

  const firstBatch = (command: Doc, ns: string, docs: Doc[], batchSize = defaultBatch): Doc => {
    const batch = docs.splice(0, batchSize);
    if (docs.length === 0 || command.singleBatch === true)
      return { cursor: { id: cursorId(0), ns, firstBatch: batch } };
    lastCursor += 1;
    cursors.set(lastCursor, docs);
    return { cursor: { id: cursorId(lastCursor), ns, firstBatch: batch } };
  };

  const find = (command: Doc): Doc => {
    const filter = (command.filter ?? {}) as Doc;
    const limit = Math.abs(Number(command.limit ?? 0)) || Number.POSITIVE_INFINITY;
    const skip = Number(command.skip ?? 0);
    const sort = Object.entries((command.sort ?? {}) as Doc);
    // Documents come in order of `_id` as they are.
    const isInOrder = sort.length === 0 || (sort.length === 1 && sort[0]?.[0] === '_id' && sort[0][1] === 1);
    let found: Doc[] = [];
    for (const doc of collectionOf(command, 'find').scan(filter)) {
      if (!matches(doc, filter)) continue;
      found.push(doc);
      if (isInOrder && found.length >= skip + limit) break;
    }
    if (!isInOrder) found = sorted(found, command.sort as Doc);
    const shown = found
      .slice(skip, skip + limit)
      .map((doc) => projected(doc, command.projection as Doc | undefined));
    return firstBatch(command, `${command.$db}.${command.find}`, shown, batchOf(command.batchSize));
  };

  const getMore = (command: Doc): Doc => {
    const id = Number(command.getMore);
    const docs = cursors.get(id);
    if (docs === undefined) throw new CommandError(43, 'CursorNotFound', `cursor id ${id} not found`);
    const nextBatch = docs.splice(0, batchOf(command.batchSize) ?? docs.length);
    if (docs.length === 0) cursors.delete(id);
    return {
      cursor: {
        id: cursorId(docs.length === 0 ? 0 : id),
        ns: `${command.$db}.${command.collection}`,
        nextBatch,
      },
    };
  };

  /** `[{$match}, {$group: {_id, n: {$sum: 1}}}]` alone: what the driver makes of countDocuments. */
  const aggregate = (command: Doc): Doc => {
    const stages = command.pipeline as Doc[];
    const match = (stages[0]?.$match ?? {}) as Doc;
    const group = (stages.at(-1)?.$group ?? {}) as Doc;
    if (stages.length > 2 || JSON.stringify(group.n) !== '{"$sum":1}')
      throw new CommandError(
        40_324,
        'Location40324',
        'the stand-in knows no pipeline but that of countDocuments',
      );
    // Reading every document would hold up all other clients for as long.
    const n = collectionOf(command, 'aggregate').count(match);
    return firstBatch(command, `${command.$db}.${command.aggregate}`, n === 0 ? [] : [{ _id: group._id, n }]);
  };

  const insert = (command: Doc): Doc => {
    const collection = collectionOf(command, 'insert');
    const { n, errors } = eachOf(command, command.documents as Doc[], (doc) => {
      putNew(collection, doc, `${command.$db}.${command.insert}`);
      return 1;
    });
    return { n, ...errors };
  };

  const update = (command: Doc): Doc => {
    const collection = collectionOf(command, 'update');
    const upserted: Doc[] = [];
    let nModified = 0;
    const { n, errors } = eachOf(command, command.updates as Doc[], ({ q, u, upsert, multi }, index) => {
      const filter = q as Doc;
      const found: Doc[] = [];
      for (const doc of collection.scan(filter)) {
        if (!matches(doc, filter)) continue;
        found.push(doc);
        if (multi !== true) break;
      }
      for (const doc of found) collection.put(updated(doc, u as Doc, false));
      nModified += found.length;
      if (found.length > 0 || upsert !== true) return found.length;
      const doc = upsertOf(filter, u as Doc);
      putNew(collection, doc, `${command.$db}.${command.update}`);
      upserted.push({ index, _id: doc._id });
      return 1;
    });
    return { n, nModified, ...(upserted.length > 0 ? { upserted } : {}), ...errors };
  };

  const remove = (command: Doc): Doc => {
    const collection = collectionOf(command, 'delete');
    const { n, errors } = eachOf(command, command.deletes as Doc[], ({ q, limit }) => {
      let removed = 0;
      for (const doc of [...collection.scan(q as Doc)]) {
        if (!matches(doc, q as Doc)) continue;
        collection.remove(doc._id);
        removed += 1;
        if (limit === 1) break;
      }
      return removed;
    });
    return { n, ...errors };
  };

  const findAndModify = (command: Doc): Doc => {
    const collection = collectionOf(command, 'findAndModify' in command ? 'findAndModify' : 'findandmodify');
    const filter = (command.query ?? {}) as Doc;
    const found = [...collection.scan(filter)].find((doc) => matches(doc, filter));
    if (command.remove === true) {
      if (found !== undefined) collection.remove(found._id);
      return { value: found ?? null, lastErrorObject: { n: found === undefined ? 0 : 1 } };
    }
    const change = command.update as Doc;
    if (found === undefined && command.upsert !== true)
      return { value: null, lastErrorObject: { n: 0, updatedExisting: false } };
    const next = found === undefined ? upsertOf(filter, change) : updated(found, change, false);
    if (found === undefined) putNew(collection, next, 'findAndModify');
    else collection.put(next);
    const value = command.new === true ? next : (found ?? null);
    return { value, lastErrorObject: { n: 1, updatedExisting: found !== undefined } };
  };

  const listCollections = (command: Doc): Doc => {
    const named = ((command.filter ?? {}) as Doc).name;
    const names = collections
      .names(String(command.$db))
      .filter((name) => named === undefined || name === named);
    return firstBatch(
      command,
      `${command.$db}.$cmd.listCollections`,
      names.map((name) => ({ name, type: 'collection' })),
    );
  };

  const run: Readonly<Record<string, (command: Doc) => Doc>> = {
    hello,
    ismaster: hello,
    isMaster: hello,
    ping: () => ({}),
    buildInfo: () => ({ version: '7.0.0', versionArray: [7, 0, 0, 0] }),
    endSessions: () => ({}),
    killCursors: (command) => {
      for (const id of command.cursors as unknown[]) cursors.delete(Number(id));
      return { cursorsKilled: command.cursors };
    },
    find,
    getMore,
    aggregate,
    insert,
    update,
    delete: remove,
    findAndModify,
    findandmodify: findAndModify,
    createIndexes: () => ({ createdCollectionAutomatically: false }),
    listCollections,
    drop: (command) => {
      collectionOf(command, 'drop').clear();
      return {};
    },
    dropDatabase: (command) => {
      for (const name of collections.names(String(command.$db)))
        collections.of(String(command.$db), name).clear();
      return {};
    },
    /** Not a command of MongoDB: what `hello` says of the time from now on. */
    setClockAhead: (command) => {
      clockAheadMs = Number(command.setClockAhead);
      return {};
    },
    replSetStepDown: (command) => {
      role.stepDown(Number(command.replSetStepDown));
      return {};
    },
  };

  return async (command) => {
    const name = Object.keys(command)[0] ?? '';
    const handler = run[name];
    if (handler === undefined) throw new CommandError(59, 'CommandNotFound', `no such command: '${name}'`);
    if (!writes.has(name)) return handler(command);
    if (!role.isPrimary()) throw new CommandError(10_107, 'NotWritablePrimary', 'not primary');
    return collections.write(() => handler(command));
  };
};

const batchOf = (size: unknown): number | undefined => (size === undefined ? undefined : Number(size));

const upsertOf = (filter: Doc, change: Doc): Doc => {
  const pinned = pinnedBy(filter);
  return isReplacement(change) ? { _id: pinned._id, ...change } : updated(pinned, change, true);
};

const putNew = (collection: Collection, doc: Doc, ns: string): void => {
  if (collection.get(doc._id) !== undefined)
    throw new CommandError(
      11_000,
      'DuplicateKey',
      `E11000 duplicate key error collection: ${ns} index: _id_ dup key: { _id: "${doc._id}" }`,
    );
  collection.put(doc);
};

/** Does each part of a bulk; an ordered one stops at its first error. */
const eachOf = (
  command: Doc,
  parts: readonly Doc[],
  act: (part: Doc, index: number) => number,
): { readonly n: number; readonly errors: { readonly writeErrors?: WriteError[] } } => {
  const writeErrors: WriteError[] = [];
  let n = 0;
  for (const [index, part] of parts.entries()) {
    try {
      n += act(part, index);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      writeErrors.push({ index, code: error.code, errmsg: error.message });
      if (command.ordered !== false) break;
    }
  }
  return { n, errors: writeErrors.length > 0 ? { writeErrors } : {} };
};
