// What is asked of every backend: each answers for what lives there, and the one that asked puts the answers together.
import { cutPage, type PagePart } from '../../cluster/gather.ts';
import type { Entity } from '../../model/entity/entity.ts';
import type { CheckEvent } from '../../model/event/event.ts';
import { entityKind, eventKind } from '../../model/kinds/watching.ts';
import { itemTest } from '../../model/resource/item-selectors.ts';
import type { Silenced } from '../../model/silence/silenced.ts';
import { type EventEntry, type EventPlace, placeOf } from '../events/event-entry.ts';
import type { Grouping } from '../events/event-grouping.ts';
import { groupEvents } from '../events/event-groups.ts';
import type { EventIndex } from '../events/event-index.ts';
import { countMatching, type EventFilter, type EventSearch, searchEvents } from '../events/event-search.ts';
import type { ReadModel } from '../events/read-model.ts';
import type { Jobs } from '../families/job/jobs.ts';
import { coversAny, type SilenceOverview } from '../families/silence/silence-overview.ts';
import { entityKeyOf, eventKeyOf, type SentFilter, type SentQuery } from './sent-query.ts';

export interface SharePorts {
  readonly reader: Pick<ReadModel, 'events' | 'entities'>;
  readonly index: EventIndex;
  readonly silences: (namespace: string) => Promise<SilenceOverview>;
  readonly jobs: () => Jobs;
}

const filterOf = <T extends EventFilter>({ only, selectors, ...filter }: SentFilter<T>): T =>
  ({
    ...filter,
    only: only === undefined ? undefined : new Set(only),
    selector: selectors === undefined ? undefined : itemTest<CheckEvent>(selectors, eventKind),
  }) as unknown as T;

/** What does not travel need not be cut. */
const cut = <T, TPlace>(
  page: PagePart<T, TPlace>,
  placeAt: (item: T) => TPlace,
  maxBytes: number,
): PagePart<T, TPlace> => (maxBytes === Number.POSITIVE_INFINITY ? page : cutPage(page, placeAt, maxBytes));

const queryOf = ({ namespace, entity, after, limit }: SentQuery) => ({
  limit,
  ...(namespace === undefined ? {} : { namespace }),
  ...(entity === undefined ? {} : { entity }),
  ...(after === undefined ? {} : { after }),
});

export const shareMethods = ({ reader, index, silences, jobs }: SharePorts) => ({
  'event.list': async (asked: SentQuery, maxBytes: number): Promise<PagePart<CheckEvent, string>> => {
    const filter = asked.selectors && itemTest<CheckEvent>(asked.selectors, eventKind);
    return cut(
      await reader.events({ ...queryOf(asked), ...(filter ? { filter } : {}) }),
      eventKeyOf,
      maxBytes,
    );
  },
  'entity.list': async (asked: SentQuery, maxBytes: number): Promise<PagePart<Entity, string>> => {
    const filter = asked.selectors && itemTest<Entity>(asked.selectors, entityKind as never);
    return cut(
      await reader.entities({ ...queryOf(asked), ...(filter ? { filter } : {}) }),
      entityKeyOf,
      maxBytes,
    );
  },
  'event.search': async (
    search: SentFilter<EventSearch>,
    maxBytes: number,
  ): Promise<PagePart<EventEntry, EventPlace>> =>
    cut(await searchEvents(index, filterOf(search)), placeOf, maxBytes),
  'event.count': (filter: SentFilter<EventFilter>) => countMatching(index, filterOf(filter)),
  'event.group': ({ filter, by }: { readonly filter: SentFilter<EventFilter>; readonly by: Grouping }) =>
    groupEvents(index, filterOf(filter), by),
  'event.names': ({
    namespace,
    filter,
  }: {
    readonly namespace: string;
    readonly filter: SentFilter<EventFilter>;
  }) => jobs().matching(namespace, filterOf(filter)),
  'silence.covers': ({ namespace, silence }: { readonly namespace: string; readonly silence: Silenced }) =>
    coversAny(namespace, silence, index),
  'silence.overview': ({ namespace }: { readonly namespace: string }) => silences(namespace),
  'job.list': async ({ namespace }: { readonly namespace: string }) => jobs().list(namespace),
});

export type ShareMethods = ReturnType<typeof shareMethods>;
