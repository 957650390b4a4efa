// What readers see: events and entities as they were last committed, in the order of their keys, a page at a time. A
// reader never sees a state that a crash could take back. Silences and masks are those of now, not those of the last result.
// Lists of events come from the index beside this file, entities and single events from the store.
import type { CheckContext } from '../../machines/check/check-facts.ts';
import type { EntityContext } from '../../machines/entity/entity-facts.ts';
import type { Entity } from '../../model/entity/entity.ts';
import type { CheckEvent } from '../../model/event/event.ts';
import type { ItemTest } from '../../model/resource/item-selectors.ts';
import { checkKey, entityKey } from '../../model/resource/names.ts';
import type { StoredRecord } from '../../store/snapshot-store.ts';
import type { GroupCommit } from '../durable/group-commit.ts';
import { withMarks } from './event-entry.ts';
import type { EventIndex } from './event-index.ts';
import { walkInTurns } from './walk-in-turns.ts';

export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string;
  /** Backends of a cluster that gave no answer, and why. */
  readonly missing?: readonly { readonly backend: string; readonly why: string }[];
}

export interface ReadQuery<T> {
  readonly namespace?: string;
  readonly entity?: string;
  readonly after?: string;
  readonly limit?: number;
  readonly filter?: ItemTest<T>;
}

export interface ReadPorts {
  readonly commit: Pick<GroupCommit, 'scan' | 'committed'>;
  readonly index: EventIndex;
  readonly nowMs: () => number;
  readonly silencesMatching: (event: CheckEvent, nowSeconds: number) => readonly string[];
}

export class ReadModel {
  readonly #ports: ReadPorts;

  constructor(ports: ReadPorts) {
    this.#ports = ports;
  }

  async events(query: ReadQuery<CheckEvent>): Promise<Page<CheckEvent>> {
    const page = new PageBuilder(query);
    const { prefix = '' } = prefixOf(query);
    await walkInTurns(
      (place) => this.#ports.index.named(prefix, place?.key ?? query.after),
      ({ key, event }) => page.take(key, this.#marked(event)),
    );
    return page.done();
  }

  async event(namespace: string, entity: string, check: string): Promise<CheckEvent | undefined> {
    const record = await this.#ports.commit.committed('check', checkKey(namespace, entity, check));
    return record === undefined ? undefined : this.#event(record);
  }

  /** What the pipelines made of the last delivered event of a check; undefined when none was delivered yet. */
  async trace(namespace: string, entity: string, check: string): Promise<unknown> {
    const record = await this.#ports.commit.committed('check', checkKey(namespace, entity, check));
    if (record === undefined) return undefined;
    const { lastTrace, droppedDeliveries } = contextIn<CheckContext>(record);
    return droppedDeliveries > 0 && typeof lastTrace === 'object'
      ? { ...lastTrace, droppedDeliveries }
      : lastTrace;
  }

  async entities(query: ReadQuery<Entity>): Promise<Page<Entity>> {
    const page = new PageBuilder(query);
    const after = query.after === undefined ? {} : { after: query.after };
    for await (const { key, record } of this.#ports.commit.scan('entity', { ...prefixOf(query), ...after }))
      if (page.take(key, contextIn<EntityContext>(record).entity) === 'enough') break;
    return page.done();
  }

  async entity(namespace: string, name: string): Promise<Entity | undefined> {
    const record = await this.#ports.commit.committed('entity', entityKey(namespace, name));
    return record === undefined ? undefined : contextIn<EntityContext>(record).entity;
  }

  #event(record: StoredRecord): CheckEvent | undefined {
    const { event } = contextIn<CheckContext>(record);
    return event === null ? undefined : this.#marked(event);
  }

  #marked(event: CheckEvent): CheckEvent {
    const { nowMs, silencesMatching, index } = this.#ports;
    return withMarks(event, silencesMatching(event, Math.floor(nowMs() / 1000)), index.masksOf(event));
  }
}

/** Takes items in order of key until the page is full and the next one is known to exist. */
class PageBuilder<T> {
  readonly #query: ReadQuery<T>;
  readonly #items: T[] = [];
  #last: string | undefined;
  #hasMore = false;

  constructor(query: ReadQuery<T>) {
    this.#query = query;
  }

  take(key: string, item: T | undefined): 'more' | 'enough' {
    const { filter, limit } = this.#query;
    if (item === undefined || filter?.(item) === false) return 'more';
    if (limit !== undefined && this.#items.length === limit) {
      this.#hasMore = true;
      return 'enough';
    }
    this.#items.push(item);
    this.#last = key;
    return 'more';
  }

  /** The next page begins after the last item kept. */
  done(): Page<T> {
    const next = this.#hasMore && this.#last !== undefined ? { next: this.#last } : {};
    return { items: this.#items, ...next };
  }
}

const prefixOf = (query: { readonly namespace?: string; readonly entity?: string }): { prefix?: string } => {
  if (query.namespace === undefined) return {};
  return {
    prefix: query.entity === undefined ? `${query.namespace}/` : `${query.namespace}/${query.entity}/`,
  };
};

const contextIn = <TContext>(record: StoredRecord): TContext =>
  (record.state as { readonly context: TContext }).context;
