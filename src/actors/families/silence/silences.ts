// The silences: one actor for each entry, which knows when it begins and ends, beside the index that events ask. Kept in
// step with the resource table; an entry whose time is over is deleted from it.
import { shardOf } from '../../../cluster/shards.ts';
import type { SilenceContext, SilenceEnd, SilenceFact } from '../../../machines/silence/silence-facts.ts';
import type { Event } from '../../../model/event/event.ts';
import type { Silenced } from '../../../model/silence/silenced.ts';
import { spanOf } from '../../../model/silence/silencing.ts';
import type { HostedShards } from '../../durable/hosted-shards.ts';
import type { Resource, ResourceTable } from '../../resources/resource-table.ts';
import type { Faults } from '../../runtime/inspection/facts.ts';
import type { Families } from '../kit/families.ts';
import type { FamilyActors } from '../kit/family-actors.ts';
import { endAgainMs } from '../kit/limits.ts';
import { SilenceBook, type SilenceBookPorts } from './silence-book.ts';
import { type SilenceIdentity, silenceFamily } from './silence-family.ts';
import { SilenceIndex } from './silence-index.ts';

export interface SilencesPorts extends SilenceBookPorts {
  readonly families: Families;
  readonly table: ResourceTable;
  readonly faults: Pick<Faults, 'report'>;
  /** In a cluster: of silences whose time is over, the backend with their shard deletes them. */
  readonly shards?: Pick<HostedShards, 'isMine'> | undefined;
  /** Other events of a namespace may be silenced than before. Not told while the silences are set up. */
  readonly changed: (namespace: string) => void;
}

export class Silences {
  readonly #ports: SilencesPorts;
  readonly #actors: FamilyActors<SilenceIdentity, SilenceContext, SilenceFact>;
  readonly #index = new SilenceIndex();
  /** Why those end that are just being deleted, and by whom. */
  readonly #endings = new Map<string, { readonly why: SilenceEnd; readonly by: string }>();
  /** What they held back, and those that ended. */
  readonly book: SilenceBook;

  constructor(ports: SilencesPorts) {
    const { table } = ports;
    this.#ports = ports;
    this.book = new SilenceBook(ports);
    this.#actors = ports.families.bind(silenceFamily, {
      definition: (silence) => this.#definition(silence),
      changed: ({ namespace }) => ports.changed(namespace),
      over: (silence) => {
        if (ports.shards?.isMine(shardOfSilence(silence)) !== false) void this.#delete(silence, 'timeOver');
      },
    });
    for (const entry of table.list('silenced').items as unknown as readonly Silenced[])
      this.#index.put(namespaceOf(entry), entry);
    table.watch('silenced', (change) => {
      if (change.type === 'put') {
        if (change.previous === undefined) this.book.begin(change.namespace, change.name);
        return this.#define(change.resource as unknown as Silenced);
      }
      const { why, by } = this.#endings.get(`${change.namespace}/${change.name}`) ?? unknownEnd;
      this.book.end(change.namespace, change.previous as unknown as Silenced, why, by);
      this.#forget(change.namespace, change.name);
    });
    table.watch('namespaces', ({ type, name }) => {
      if (type === 'deleted') this.book.forgetNamespace(name);
    });
  }

  /** Starts the actors of what is stored; the index answers from the beginning. */
  start(): void {
    for (const entry of this.#ports.table.list('silenced').items as unknown as readonly Silenced[])
      this.#define(entry);
  }

  /** Silences of a shard whose time was over while no backend had it are deleted now. */
  load(shard: number): void {
    for (const entry of this.#ports.table.list('silenced').items as unknown as readonly Silenced[]) {
      const silence = { namespace: namespaceOf(entry), name: entry.metadata.name };
      if (shardOfSilence(silence) === shard && !this.#actors.has(silence)) this.#actors.start(silence);
    }
  }

  /** Names of the silences that match an event now, in stored order. */
  matching(event: Event, nowSeconds: number): readonly string[] {
    return this.#index.matching(event, nowSeconds);
  }

  /** Which of the named silences end when their incident resolves. */
  endingOnResolve(namespace: string, names: readonly string[]): readonly string[] {
    return names.length === 0 ? names : this.#index.endingOnResolve(namespace, names);
  }

  /** An incident that these silences matched has resolved: those that end with it cover no further event. */
  lift(namespace: string, names: readonly string[]): void {
    for (const name of this.#index.endingOnResolve(namespace, names)) {
      this.#index.remove(namespace, name);
      this.#ports.changed(namespace);
    }
  }

  /** The resolution could not be kept: silences that were lifted cover events again. */
  restore(namespace: string, names: readonly string[]): void {
    for (const name of names) {
      const entry = this.#entry({ namespace, name });
      if (entry === undefined) continue;
      this.#index.put(namespace, entry);
      this.#ports.changed(namespace);
    }
  }

  /** Deletes those of the silences that end on resolve. Resolves once that is durable, however long the store takes. */
  async end(namespace: string, names: readonly string[]): Promise<void> {
    this.lift(namespace, names);
    const nowMs = this.#ports.nowMs();
    await Promise.all(
      names.map((name) => {
        const silence: SilenceIdentity = { namespace, name };
        if (this.#entry(silence)?.expire_on_resolve !== true) return undefined;
        this.#actors.tell(silence, { type: 'incident.resolved', nowMs });
        return this.#delete(silence, 'resolved');
      }),
    );
  }

  /** Somebody ends a silence. False when there is none. `check` may throw before anything is removed. */
  clear(
    { namespace, name }: SilenceIdentity,
    by: string,
    check: (current: Resource) => void = () => {},
  ): Promise<boolean> {
    return this.#remove({ namespace, name }, { why: 'cleared', by }, check);
  }

  #define(entry: Silenced): void {
    const namespace = namespaceOf(entry);
    const { name } = entry.metadata;
    const silence: SilenceIdentity = { namespace, name };
    this.#index.put(namespace, entry);
    this.#ports.changed(namespace);
    if (!this.#actors.has(silence)) return this.#actors.start(silence);
    // Deleted and made again before its actor had gone: that one hears nothing any more, so another one starts.
    this.#actors.tell(silence, this.#defined(entry), (outcome) => {
      if (outcome.type === 'busy' && this.#index.has(namespace, name)) this.#actors.start(silence);
    });
  }

  #forget(namespace: string, name: string): void {
    const silence: SilenceIdentity = { namespace, name };
    this.#index.remove(namespace, name);
    this.#ports.changed(namespace);
    if (this.#actors.has(silence))
      this.#actors.tell(silence, { type: 'silence.cleared', nowMs: this.#ports.nowMs() });
  }

  #entry({ namespace, name }: SilenceIdentity): Silenced | undefined {
    return this.#ports.table.get('silenced', namespace, name) as unknown as Silenced | undefined;
  }

  /** Deletes what is there now, and not what somebody puts in its place. While the store is away it is tried again. */
  async #delete(silence: SilenceIdentity, why: SilenceEnd, tries = 0): Promise<void> {
    const { namespace, name } = silence;
    const ended = this.#entry(silence);
    if (ended === undefined) return;
    const isReplaced = (): boolean => this.#entry(silence) !== ended;
    const { faults, after } = this.#ports;
    try {
      await this.#remove(silence, { why, by: '' }, () => {
        if (isReplaced()) throw new Error('replaced meanwhile');
      });
    } catch (error) {
      if (isReplaced()) return;
      if (tries === 0) faults.report(`ending silence ${namespace}/${name}: it is tried again`, error);
      await new Promise<void>((resolve) => after(endAgainMs, resolve));
      if (!isReplaced()) await this.#delete(silence, why, tries + 1);
    }
  }

  async #remove(
    { namespace, name }: SilenceIdentity,
    ending: { readonly why: SilenceEnd; readonly by: string },
    check: (current: Resource) => void,
  ): Promise<boolean> {
    const key = `${namespace}/${name}`;
    const noted = (current: Resource): void => {
      check(current);
      this.#endings.set(key, ending);
    };
    try {
      return await this.#ports.table.delete({ segment: 'silenced', namespace, name }, noted);
    } finally {
      if (this.#endings.get(key) === ending) this.#endings.delete(key);
    }
  }

  #definition(silence: SilenceIdentity): SilenceFact {
    const entry = this.#entry(silence);
    return entry === undefined
      ? { type: 'silence.cleared', nowMs: this.#ports.nowMs() }
      : this.#defined(entry);
  }

  #defined(entry: Silenced): SilenceFact {
    return {
      type: 'silence.defined',
      nowMs: this.#ports.nowMs(),
      ...spanOf(entry),
      expireOnResolve: entry.expire_on_resolve,
    };
  }
}

/** Deleted by a part of the backend, such as with its entity. */
const unknownEnd = { why: 'cleared', by: '' } as const;

const shardOfSilence = ({ namespace, name }: SilenceIdentity): number => shardOf(namespace, name);

const namespaceOf = (entry: Silenced): string => entry.metadata.namespace ?? '';
