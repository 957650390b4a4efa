// What readers see: events and entities as they were last committed, in the order of their keys, a page at a time. A
// reader never sees a state that a crash could take back. Silences are those of now, not those of the last result.
import type { CheckContext } from '../machines/check-facts.ts';
import type { EntityContext } from '../machines/entity-facts.ts';
import type { Entity } from '../model/entity.ts';
import type { CheckEvent } from '../model/event.ts';
import { checkKey, entityKey } from '../model/names.ts';
import type { StoredRecord } from '../store/snapshot-store.ts';
import type { GroupCommit } from './commit/group-commit.ts';

export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string;
}

export interface ReadQuery<T> {
  readonly namespace?: string;
  readonly entity?: string;
  readonly after?: string;
  readonly limit?: number;
  readonly filter?: (item: T) => boolean;
}

export interface ReadWorld {
  readonly commit: Pick<GroupCommit, 'scan' | 'read'>;
  readonly nowMs: () => number;
  readonly silencesMatching: (event: CheckEvent, nowSeconds: number) => readonly string[];
}

export class ReadModel {
  readonly #world: ReadWorld;

  constructor(world: ReadWorld) {
    this.#world = world;
  }

  events(query: ReadQuery<CheckEvent>): Promise<Page<CheckEvent>> {
    return this.#page('check', query, (record) => this.#event(record));
  }

  async event(namespace: string, entity: string, check: string): Promise<CheckEvent | undefined> {
    const record = await this.#world.commit.read('check', checkKey(namespace, entity, check));
    return record === undefined ? undefined : this.#event(record);
  }

  /** What the pipelines made of the last delivered event of a check; undefined when none was delivered yet. */
  async trace(namespace: string, entity: string, check: string): Promise<unknown> {
    const record = await this.#world.commit.read('check', checkKey(namespace, entity, check));
    return record === undefined ? undefined : contextIn<CheckContext>(record).lastTrace;
  }

  entities(query: ReadQuery<Entity>): Promise<Page<Entity>> {
    return this.#page('entity', query, (record) => contextIn<EntityContext>(record).entity);
  }

  async entity(namespace: string, name: string): Promise<Entity | undefined> {
    const record = await this.#world.commit.read('entity', entityKey(namespace, name));
    return record === undefined ? undefined : contextIn<EntityContext>(record).entity;
  }

  #event(record: StoredRecord): CheckEvent | undefined {
    const { event } = contextIn<CheckContext>(record);
    if (event === null) return undefined;
    const silenced = this.#world.silencesMatching(event, Math.floor(this.#world.nowMs() / 1000));
    const { silenced: _then, ...check } = event.check;
    return {
      ...event,
      check: {
        ...check,
        is_silenced: silenced.length > 0,
        ...(silenced.length > 0 ? { silenced: [...silenced] } : {}),
      },
    };
  }

  async #page<T>(
    kind: 'check' | 'entity',
    query: ReadQuery<T>,
    decode: (record: StoredRecord) => T | undefined,
  ): Promise<Page<T>> {
    const items: T[] = [];
    let last: string | undefined;
    const range = {
      ...prefixOf(query),
      ...(query.after === undefined ? {} : { after: query.after }),
    };
    for await (const { key, record } of this.#world.commit.scan(kind, range)) {
      const item = decode(record);
      if (item === undefined || query.filter?.(item) === false) continue;
      // One item more than asked for was found: there is a next page, and it begins after the last one we keep.
      if (query.limit !== undefined && items.length === query.limit) {
        return last === undefined ? { items } : { items, next: last };
      }
      items.push(item);
      last = key;
    }
    return { items };
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
