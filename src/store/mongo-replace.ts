// Compare-and-set of one record, for records that several backends write and no lease protects: configuration and logins. The
// revision that the writer has read stands in the filter, so of two writers at once one finds that nothing matches.
import { setTimeout as pause } from 'node:timers/promises';
import { mongoReadPatienceMs, mongoReadRetryMs } from './limits.ts';
import { isConflict, isWorthRepeating } from './mongo-errors.ts';

interface Document {
  readonly _id: string;
  readonly [field: string]: unknown;
}

/** The required methods of a MongoDB collection. */
interface ReplaceCollection {
  findOne(filter: { readonly _id: string }): Promise<Document | null>;
  insertOne(document: Document): Promise<unknown>;
  replaceOne(filter: Seen, fields: object): Promise<{ readonly matchedCount: number }>;
  deleteOne(filter: Seen): Promise<{ readonly deletedCount: number }>;
}

type Seen = { readonly _id: string; readonly rev: number };

export interface Replacement {
  readonly key: string;
  /** The revision that the writer has read; 0: there was no record. */
  readonly seenRev: number;
  /** With its `_id` and `writer`, which identifies this write; undefined to delete the record. */
  readonly document: Document | undefined;
}

/**
 * False if the stored record is another one than the writer has read; then nothing was written. A try whose reply was lost is
 * repeated: what it stored is recognised by its `writer`. Rejects with an error of the driver if the outcome is unknown.
 */
export const replaceDocument = async (
  rows: ReplaceCollection,
  replacement: Replacement,
): Promise<boolean> => {
  const startMs = performance.now();
  for (let [tries, waitMs] = [0, mongoReadRetryMs]; ; tries += 1, waitMs *= 2) {
    try {
      return (await attempt(rows, replacement)) || (await wasDone(rows, replacement, tries > 0));
    } catch (error) {
      const isLate = performance.now() - startMs + waitMs > mongoReadPatienceMs;
      if (isLate || !isWorthRepeating(error)) throw error;
    }
    await pause(waitMs);
  }
};

const attempt = async (
  rows: ReplaceCollection,
  { key, seenRev, document }: Replacement,
): Promise<boolean> => {
  const seen = { _id: key, rev: seenRev };
  if (document === undefined) {
    // What is not there need not be deleted, but another backend may have created it.
    if (seenRev === 0) return (await rows.findOne({ _id: key })) === null;
    return (await rows.deleteOne(seen)).deletedCount === 1;
  }
  if (seenRev > 0) {
    const { _id, ...fields } = document;
    return (await rows.replaceOne(seen, fields)).matchedCount === 1;
  }
  try {
    await rows.insertOne(document);
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
};

/** Whether an earlier try, of this process or of the driver, stored it already. */
const wasDone = async (
  rows: ReplaceCollection,
  { key, document }: Replacement,
  wasTried: boolean,
): Promise<boolean> => {
  const stored = await rows.findOne({ _id: key });
  if (document === undefined) return wasTried && stored === null;
  return stored?.writer === document.writer;
};
