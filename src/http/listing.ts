// Lists: pages, continue tokens and selectors, the same for every kind (API sheet, section 6).
// Without a limit the whole list is sent, read and written in slices, so that a list of a hundred thousand events holds
// up nobody else and fits in memory.
import { Readable } from 'node:stream';
import { MonError } from '../model/errors.ts';
import { decodeContinue, encodeContinue, parseLimit } from '../model/pagination.ts';
import { parseSelectors, type Selector, selects } from '../model/selectors.ts';
import type { Page } from './backend-port.ts';
import { maxSelectorCharacters } from './limits.ts';
import { type Answer, type Call, ok } from './route.ts';

/** Items read at once when a whole list is asked for. */
const sliceItems = 500;

export interface ListRequest {
  readonly limit?: number;
  readonly after?: string;
}

const last = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.at(-1);

const all = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value;

/** Limit 0 means none; a token that cannot be read means the first page. Throws MonError `invalid` for a limit that is no number. */
export const listRequest = (query: Call['query']): ListRequest => {
  const text = last(query.limit);
  const limit = parseLimit(text);
  if (limit === undefined)
    throw new MonError(
      'invalid',
      `limit must be a whole number, 0 for no limit (got ${JSON.stringify(text)})`,
    );
  const after = decodeContinue(last(query.continue));
  return { ...(limit > 0 ? { limit } : {}), ...(after === undefined ? {} : { after }) };
};

const selectorOf = (value: string | readonly string[] | undefined): Selector => {
  const texts = all(value);
  if (texts.some(({ length }) => length > maxSelectorCharacters))
    throw new MonError(
      'invalid',
      `could not parse the operations: a selector is at most ${maxSelectorCharacters} characters long`,
    );
  const reading = parseSelectors(texts);
  if (!reading.ok) throw new MonError('invalid', reading.message);
  return reading.selector;
};

/** What a kind knows about its items, for selectors. */
export interface Selectable<T> {
  field(item: T, name: string): string | undefined;
  labels(item: T): Readonly<Record<string, string>>;
}

/** A test for items, or undefined when the caller gave no selector. Throws MonError `invalid`. */
export const selectorFilter = <T>(
  query: Call['query'],
  kind: Selectable<T>,
): ((item: T) => boolean) | undefined => {
  const fields = selectorOf(query.fieldSelector);
  const labels = selectorOf(query.labelSelector);
  if (fields.length + labels.length === 0) return undefined;
  return (item) =>
    (fields.length === 0 || selects(fields, (name) => kind.field(item, name))) &&
    (labels.length === 0 || selects(labels, kind.labels(item)));
};

/** One page with its token, or the whole list as a stream. */
export const answerList = async <T>(
  request: ListRequest,
  read: (request: ListRequest) => Page<T> | Promise<Page<T>>,
  show: (item: T) => object,
): Promise<Answer> => {
  if (request.limit === undefined) return answerWholeList(request, read, show);
  const { items, next } = await read(request);
  const body = items.map(show);
  if (next === undefined) return ok(body);
  const token = encodeContinue(next);
  return ok(body, { 'Mon-Continue': token, 'Sensu-Continue': token });
};

const answerWholeList = async <T>(
  { after }: ListRequest,
  read: (request: ListRequest) => Page<T> | Promise<Page<T>>,
  show: (item: T) => object,
): Promise<Answer> => {
  // The first slice is read before the answer begins: what fails here is still told with a proper status.
  const first = await read({ limit: sliceItems, ...(after === undefined ? {} : { after }) });
  if (first.next === undefined) return ok(first.items.map(show));
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: Readable.from(writeSlices(first, read, show)),
  };
};

async function* writeSlices<T>(
  first: Page<T>,
  read: (request: ListRequest) => Page<T> | Promise<Page<T>>,
  show: (item: T) => object,
): AsyncGenerator<string> {
  let page = first;
  let opening = '[';
  for (;;) {
    if (page.items.length > 0) yield opening + page.items.map((item) => JSON.stringify(show(item))).join(',');
    if (page.items.length > 0) opening = ',';
    if (page.next === undefined) break;
    page = await read({ limit: sliceItems, after: page.next });
  }
  yield opening === '[' ? '[]' : ']';
}
