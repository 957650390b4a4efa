// Writing one record of the configuration or of the logins. Where this backend alone writes to the store, the group commit does
// it (`OwnRecords`); where several do, each write is a compare-and-set (shared-records.ts).
import type { Entry, PageQuery, RecordKind } from '../../store/snapshot-store.ts';
import { type Committer, commitDelete, commitPut, type RecordBody } from './committer.ts';

export interface RecordChange {
  readonly kind: RecordKind;
  readonly key: string;
  /** Undefined: the record is deleted. */
  readonly body: RecordBody | undefined;
  /** What is stored, as far as this backend knows; undefined for nothing. */
  readonly before: RecordBody | undefined;
}

export interface RecordWriter {
  /** What is stored, in the order of keys. */
  scan(kind: RecordKind, query?: PageQuery): AsyncIterable<Entry>;
  /**
   * Resolves once it is durable; to false if another backend changed the record since this one read it: then nothing was
   * written, and the record is to be read again. Rejects with a MonError (`storeFull`, `unavailable`, `invalid`). One write of a
   * key at a time.
   */
  write(change: RecordChange): Promise<boolean>;
}

export class OwnRecords implements RecordWriter {
  readonly #committer: Committer;

  constructor(committer: Committer) {
    this.#committer = committer;
  }

  async *scan(kind: RecordKind, query?: PageQuery): AsyncIterable<Entry> {
    for await (const entry of this.#committer.scan(kind, query)) {
      this.#committer.seed(kind, entry.key, entry.record.rev);
      yield entry;
    }
  }

  async write({ kind, key, body, before }: RecordChange): Promise<boolean> {
    try {
      if (body === undefined) await commitDelete(this.#committer, kind, key);
      else await commitPut(this.#committer, kind, key, body);
      return true;
    } catch (error) {
      // The committer keeps trying failed keys with the newest value it was given: give it the old one.
      if (before === undefined) this.#committer.delete(kind, key);
      else this.#committer.put(kind, key, () => before);
      throw error;
    }
  }
}
