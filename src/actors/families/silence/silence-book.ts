// The book of silences: what each of them held back, and which ended lately, why and by whom. Kept in the store, a record for
// each silence, so that a restart forgets nothing of it; counts are written a few seconds late, and a crash loses those.
import { z } from 'zod';
import type { SilenceEnd } from '../../../machines/silence/silence-facts.ts';
import type { Silenced } from '../../../model/silence/silenced.ts';
import type { RecordKind } from '../../../store/snapshot-store.ts';
import type { GroupCommit } from '../../durable/group-commit.ts';
import type { RecordSource } from '../kit/families.ts';
import { keptEndedSilences, silenceFiguresMs } from '../kit/limits.ts';

const kind = 'silence';
const version = 1;

const endedSchema = z.object({
  /** `timeOver`; `resolved`: with its incident; `cleared`: by somebody. */
  why: z.enum(['timeOver', 'resolved', 'cleared']),
  /** Who ended it by hand, where that is known. */
  by: z.string(),
  /** Unix seconds. */
  at: z.number(),
  silence: z.record(z.string(), z.unknown()),
});

const pageSchema = z.object({
  /** Notifications that it held back. */
  suppressed: z.number(),
  /** Of the last one, Unix seconds; 0: none. */
  last: z.number(),
  ended: endedSchema.nullable(),
});
type Page = z.infer<typeof pageSchema>;

export type SilenceFigures = Pick<Page, 'suppressed' | 'last'>;
export interface EndedSilence extends SilenceFigures {
  readonly why: SilenceEnd;
  readonly by: string;
  readonly at: number;
  readonly silence: Silenced;
}

export interface SilenceBookPorts {
  readonly commit: Pick<GroupCommit, 'put' | 'delete'>;
  readonly nowMs: () => number;
  readonly after: (delayMs: number, task: () => void) => void;
}

const blank: Page = { suppressed: 0, last: 0, ended: null };

export class SilenceBook {
  readonly #ports: SilenceBookPorts;
  readonly #namespaces = new Map<string, Map<string, Page>>();
  /** Records that are to be written. */
  readonly #due = new Map<string, { readonly namespace: string; readonly name: string }>();
  #isAwaited = false;

  constructor(ports: SilenceBookPorts) {
    this.#ports = ports;
  }

  /** What an earlier process or owner kept. */
  async restore(
    records: RecordSource,
    onBadRecord: (kind: RecordKind, key: string, error: unknown) => void,
  ): Promise<void> {
    for await (const { key, record } of records(kind)) {
      const slash = key.indexOf('/');
      const page = pageSchema.safeParse(record.state);
      if (page.success) this.#pages(key.slice(0, slash)).set(key.slice(slash + 1), page.data);
      else onBadRecord(kind, key, page.error);
    }
  }

  figures(namespace: string, name: string): SilenceFigures {
    const { suppressed, last } = this.#namespaces.get(namespace)?.get(name) ?? blank;
    return { suppressed, last };
  }

  /** Those that ended lately, the last one first. */
  ended(namespace: string): readonly EndedSilence[] {
    const found: EndedSilence[] = [];
    for (const { suppressed, last, ended } of this.#namespaces.get(namespace)?.values() ?? [])
      if (ended !== null)
        found.push({ ...ended, silence: ended.silence as unknown as Silenced, suppressed, last });
    return found.sort((a, b) => b.at - a.at);
  }

  /** A silence was created again: what is known of the earlier one of its name is dropped. */
  begin(namespace: string, name: string): void {
    if (this.#namespaces.get(namespace)?.has(name) === true) this.#forget(namespace, name);
  }

  /** A notification was held back by these silences. */
  suppress(namespace: string, names: readonly string[]): void {
    const nowSeconds = Math.floor(this.#ports.nowMs() / 1000);
    for (const name of names) {
      const pages = this.#pages(namespace);
      const page = pages.get(name) ?? blank;
      if (page.ended !== null) continue;
      pages.set(name, { ...page, suppressed: page.suppressed + 1, last: nowSeconds });
      this.#note(namespace, name);
    }
  }

  end(namespace: string, silence: Silenced, why: SilenceEnd, by: string): void {
    const { name } = silence.metadata;
    const at = Math.floor(this.#ports.nowMs() / 1000);
    const ended = { why, by, at, silence: silence as unknown as Record<string, unknown> };
    this.#pages(namespace).set(name, { ...this.figures(namespace, name), ended });
    this.#write(namespace, name);
    const last = this.ended(namespace)[keptEndedSilences];
    if (last !== undefined) this.#forget(namespace, last.silence.metadata.name);
  }

  forgetNamespace(namespace: string): void {
    for (const name of [...(this.#namespaces.get(namespace)?.keys() ?? [])]) this.#forget(namespace, name);
  }

  /** Another backend writes the page of this silence from now on. */
  unload(key: string): void {
    const slash = key.indexOf('/');
    const namespace = key.slice(0, slash);
    const pages = this.#namespaces.get(namespace);
    pages?.delete(key.slice(slash + 1));
    if (pages?.size === 0) this.#namespaces.delete(namespace);
    this.#due.delete(key);
  }

  /** Writes what is due at once. */
  flush(): void {
    const due = [...this.#due.values()];
    this.#due.clear();
    for (const { namespace, name } of due) this.#write(namespace, name);
  }

  #note(namespace: string, name: string): void {
    this.#due.set(`${namespace}/${name}`, { namespace, name });
    if (this.#isAwaited) return;
    this.#isAwaited = true;
    this.#ports.after(silenceFiguresMs, () => {
      this.#isAwaited = false;
      this.flush();
    });
  }

  #write(namespace: string, name: string): void {
    const page = this.#namespaces.get(namespace)?.get(name);
    if (page === undefined) return;
    this.#ports.commit.put(kind, `${namespace}/${name}`, () => ({
      machine: 'silenceBook',
      version,
      deadlines: [],
      state: page,
    }));
  }

  #forget(namespace: string, name: string): void {
    const pages = this.#namespaces.get(namespace);
    pages?.delete(name);
    if (pages?.size === 0) this.#namespaces.delete(namespace);
    this.#due.delete(`${namespace}/${name}`);
    this.#ports.commit.delete(kind, `${namespace}/${name}`);
  }

  #pages(namespace: string): Map<string, Page> {
    const known = this.#namespaces.get(namespace);
    if (known !== undefined) return known;
    const pages = new Map<string, Page>();
    this.#namespaces.set(namespace, pages);
    return pages;
  }
}
