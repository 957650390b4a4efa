// `limit`, `offset` and `filter.a.b=value` for all lists of the earlier API.
import { isMap } from '../../model/earlier/json.ts';

export interface Paged {
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** An integer parameter; other values are ignored. */
export const wholeNumber = (query: URLSearchParams, key: string): number | undefined => {
  const value = query.get(key);
  return value !== null && /^\d+$/.test(value) ? Number(value) : undefined;
};

const valueAt = (item: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, key) => (isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    item,
  );

const prefix = 'filter.';

/** Values are compared as strings. */
const passes = (item: unknown, query: URLSearchParams): boolean =>
  [...query]
    .filter(([key]) => key.startsWith(prefix))
    .every(([key, wanted]) => String(valueAt(item, key.slice(prefix.length).split('.'))) === wanted);

/** Bodies other than lists are unchanged. */
export const narrowed = (body: unknown, query: URLSearchParams): Paged => {
  if (!Array.isArray(body)) return { body, headers: {} };
  const found = body.filter((item) => passes(item, query));
  const limit = wholeNumber(query, 'limit');
  if (limit === undefined) return { body: found, headers: {} };
  const offset = wholeNumber(query, 'offset') ?? 0;
  return {
    body: found.slice(offset, offset + limit),
    headers: { 'X-Pagination': JSON.stringify({ limit, offset, total: found.length }) },
  };
};
