// Answers gathered from several backends. One that gave no answer is named in the result: a list that lacks its items never
// looks complete.
import { MonError } from '../model/errors.ts';
import { whyNoAnswer } from './ask.ts';
import { maxGatherRounds } from './limits.ts';

interface Missing {
  readonly backend: string;
  readonly why: string;
}

export interface Gathered<T> {
  readonly answers: ReadonlyMap<string, T>;
  readonly missing: readonly Missing[];
}

/**
 * Asks all at the same time. `askOne` keeps the deadline: it rejects when it is over. Rejects only with a refusal (a MonError that
 * a retry does not help), since all would refuse the same.
 */
export const gather = async <T>(
  backends: readonly string[],
  askOne: (backend: string) => Promise<T>,
): Promise<Gathered<T>> => {
  const answers = new Map<string, T>();
  const missing: Missing[] = [];
  await Promise.all(
    backends.map(async (backend) => {
      try {
        answers.set(backend, await askOne(backend));
      } catch (error) {
        if (isRefusal(error)) throw error;
        missing.push({ backend, why: whyNoAnswer(error) });
      }
    }),
  );
  return { answers, missing: missing.sort(byBackend) };
};

const byBackend = (a: Missing, b: Missing): number => (a.backend < b.backend ? -1 : 1);

const isRefusal = (error: unknown): boolean =>
  error instanceof MonError && !error.retry && error.kind !== 'internal' && error.kind !== 'tooLarge';

/** A page as one backend answers it. `next` is there when it has more, also when the page is shorter than was asked for. */
export interface PagePart<T, TPlace> {
  readonly items: readonly T[];
  readonly next?: TPlace;
  /** All that fit, on every page; undefined where it is not counted. */
  readonly total?: number;
}

export interface GatherPage<T, TPlace> {
  readonly backends: readonly string[];
  /** A page of one backend, in the order of `compare`, of what comes after the place. */
  readonly askOne: (
    backend: string,
    after: TPlace | undefined,
    limit: number,
  ) => Promise<PagePart<T, TPlace>>;
  readonly compare: (a: T, b: T) => number;
  /** The same item, should two backends have it: its shard moved between their answers. */
  readonly keyOf: (item: T) => string;
  readonly placeOf: (item: T) => TPlace;
  readonly after?: TPlace | undefined;
  readonly limit: number;
}

export interface GatheredPage<T, TPlace> extends PagePart<T, TPlace> {
  readonly missing: readonly Missing[];
}

/** What one backend has answered so far. */
interface Source<T, TPlace> {
  items: readonly T[];
  next: TPlace | undefined;
}

/** One page over all backends, as if it came from one. */
export const gatherPage = async <T, TPlace>(
  request: GatherPage<T, TPlace>,
): Promise<GatheredPage<T, TPlace>> => {
  const { backends, askOne, after, limit } = request;
  const sources = new Map<string, Source<T, TPlace>>();
  let missing: readonly Missing[] = [];
  let total: number | undefined;
  let asked = backends;
  for (let round = 0; asked.length > 0; round += 1) {
    const placeFor = (backend: string) => (round === 0 ? after : sources.get(backend)?.next);
    const { answers, missing: silent } = await gather(asked, async (backend) => {
      const part = await askOne(backend, placeFor(backend), limit);
      if (part.items.length > 0 || part.next === undefined) return part;
      throw new Error('it has more, and answered with nothing');
    });
    missing = [...missing, ...silent];
    for (const { backend } of silent) stop(sources.get(backend));
    for (const [backend, part] of answers) {
      if (part.total !== undefined) total = round === 0 ? (total ?? 0) + part.total : total;
      append(sources, backend, part);
    }
    asked = round + 1 < maxGatherRounds ? cutShort(sources, request) : [];
  }
  const { items, hasMore } = firstOf([...sources.values()], request);
  const lastItem = items.at(-1);
  return {
    items,
    ...(hasMore && lastItem !== undefined ? { next: request.placeOf(lastItem) } : {}),
    ...(total === undefined ? {} : { total }),
    missing: [...missing].sort(byBackend),
  };
};

const stop = <T, TPlace>(source: Source<T, TPlace> | undefined): void => {
  if (source !== undefined) source.next = undefined;
};

const append = <T, TPlace>(
  sources: Map<string, Source<T, TPlace>>,
  backend: string,
  { items, next }: PagePart<T, TPlace>,
): void => {
  const known = sources.get(backend)?.items ?? [];
  sources.set(backend, { items: [...known, ...items], next });
};

/** Backends whose answer ends before the page does, so that what comes next may be theirs. */
const cutShort = <T, TPlace>(
  sources: ReadonlyMap<string, Source<T, TPlace>>,
  request: GatherPage<T, TPlace>,
): readonly string[] => {
  const { certain } = merged([...sources.values()], request);
  if (certain.length >= request.limit) return [];
  return [...sources].filter(([, { next }]) => next !== undefined).map(([backend]) => backend);
};

const firstOf = <T, TPlace>(sources: readonly Source<T, TPlace>[], request: GatherPage<T, TPlace>) => {
  const { certain, isAll } = merged(sources, request);
  return { items: certain.slice(0, request.limit), hasMore: !isAll || certain.length > request.limit };
};

/** In order, up to where a backend may have more. */
const merged = <T, TPlace>(
  sources: readonly Source<T, TPlace>[],
  { compare, keyOf }: GatherPage<T, TPlace>,
): { readonly certain: readonly T[]; readonly isAll: boolean } => {
  const seen = new Set<string>();
  const all = sources
    .flatMap(({ items }) => items)
    .sort(compare)
    .filter((item) => {
      const key = keyOf(item);
      return !seen.has(key) && seen.add(key);
    });
  const ends = sources.flatMap(({ items, next }) => (next === undefined ? [] : items.slice(-1)));
  const [first] = ends.sort(compare);
  if (first === undefined) return { certain: all, isAll: true };
  return { certain: all.filter((item) => compare(item, first) <= 0), isAll: false };
};

/** The part of a page that has at most so many bytes as JSON, and where it ends. At least one item. */
export const cutPage = <T, TPlace>(
  page: PagePart<T, TPlace>,
  placeOf: (item: T) => TPlace,
  maxBytes: number,
): PagePart<T, TPlace> => {
  let bytes = 0;
  for (const [index, item] of page.items.entries()) {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    const before = page.items[index - 1];
    if (bytes > maxBytes && before !== undefined)
      return { ...page, items: page.items.slice(0, index), next: placeOf(before) };
  }
  return page;
};
