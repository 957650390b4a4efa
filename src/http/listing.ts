// Lists with pages, continue tokens and selectors, for all kinds. Without a limit, the whole list is streamed: read
// in slices and written at the pace of the client, so that a list of a hundred thousand events does not block
// others and fits in memory. Pages are limited in items and bytes.
import { Readable } from 'node:stream';
import { MonError } from '../model/errors.ts';
import { type ItemTest, itemTest, type Selectable } from '../model/resource/item-selectors.ts';
import { decodeContinue, encodeContinue, parseLimit } from '../model/resource/pagination.ts';
import { parseSelectors, type Selector } from '../model/resource/selectors.ts';
import type { Page } from './backend-port.ts';
import { maxChunkBytes, maxPageBytes, maxPageItems, maxSelectorCharacters, sliceItems } from './limits.ts';
import type { Answer, Call } from './route.ts';

export interface ListRequest {
  readonly limit?: number;
  readonly after?: string;
}

const last = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.at(-1);

const all = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value;

/** What is said of a token that cannot be read. `place`: where the page before names its token. */
export const unreadableToken = (place: string): string =>
  `continue must be the token of the page before, from ${place}; leave it out for the first page`;

/** Limit 0 means none. Throws MonError `invalid` for a limit that is no number, and for a token that no page ended with. */
export const listRequest = (query: Call['query']): ListRequest => {
  const text = last(query.limit);
  const limit = parseLimit(text);
  if (limit === undefined)
    throw new MonError(
      'invalid',
      `limit must be a whole number, 0 for no limit (got ${JSON.stringify(text)})`,
    );
  const token = last(query.continue);
  const after = decodeContinue(token);
  if (token && after === undefined) throw new MonError('invalid', unreadableToken('the header Mon-Continue'));
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

/** A predicate for items, or undefined without a selector. Throws MonError `invalid`. */
export const selectorFilter = <T>(query: Call['query'], kind: Selectable<T>): ItemTest<T> | undefined => {
  const fields = selectorOf(query.fieldSelector);
  const labels = selectorOf(query.labelSelector);
  if (fields.length + labels.length === 0) return undefined;
  return itemTest({ fields, labels }, kind);
};

interface Reader<T> {
  readonly read: (request: ListRequest) => Page<T> | Promise<Page<T>>;
  readonly show: (item: T) => object;
}

/** One page with its token, or the whole list as a stream. */
export const answerList = async <T>(
  { limit, after }: ListRequest,
  read: Reader<T>['read'],
  show: Reader<T>['show'],
): Promise<Answer> => {
  const from = after === undefined ? {} : { after };
  if (limit === undefined) return answerWholeList(from, { read, show });
  // Above the maximum page size, clients continue with the token.
  const { text, next, missing } = await readPage(
    { limit: Math.min(limit, maxPageItems), ...from },
    { read, show },
  );
  return jsonText(text, { ...missingHeader(missing), ...(next === undefined ? {} : continuation(next)) });
};

const continuation = (next: string): Readonly<Record<string, string>> => {
  const token = encodeContinue(next);
  return { 'Mon-Continue': token, 'Sensu-Continue': token };
};

/** The backends of a cluster whose items are not in the answer, and why. */
const missingHeader = (missing: Page<unknown>['missing']): Readonly<Record<string, string>> =>
  missing === undefined || missing.length === 0
    ? {}
    : { 'Mon-Missing-Backends': missing.map(({ backend, why }) => `${backend} (${plain(why)})`).join(', ') };

/** Header values are of printable ASCII. */
const plain = (text: string): string => text.replace(/[^ -~]/g, '?');

const jsonText = (body: string | Readable, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status: 200,
  headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
  body,
});

/** The JSON of the first items, up to `maxPageBytes` but at least one. */
const textsOf = <T>(items: readonly T[], show: Reader<T>['show']): readonly string[] => {
  const texts: string[] = [];
  let length = 0;
  for (const item of items) {
    const text = JSON.stringify(show(item));
    length += text.length;
    if (length > maxPageBytes && texts.length > 0) break;
    texts.push(text);
  }
  return texts;
};

/** A page as text. If the byte limit ends it early, it is read again with the smaller limit. */
const readPage = async <T>(
  request: ListRequest & { readonly limit: number },
  reader: Reader<T>,
): Promise<{ readonly text: string } & Pick<Page<T>, 'next' | 'missing'>> => {
  const { items, ...page } = await reader.read(request);
  const texts = textsOf(items, reader.show);
  if (texts.length < items.length) return readPage({ ...request, limit: texts.length }, reader);
  return { text: `[${texts.join(',')}]`, ...page };
};

const answerWholeList = async <T>(from: ListRequest, reader: Reader<T>): Promise<Answer> => {
  // The first slice is read before the response starts, so that errors still get a proper status.
  const first = await reader.read({ limit: sliceItems, ...from });
  if (first.next === undefined) {
    const texts = textsOf(first.items, reader.show);
    if (texts.length === first.items.length)
      return jsonText(`[${texts.join(',')}]`, missingHeader(first.missing));
  }
  const written = Readable.from(writeSlices(first, reader), {
    objectMode: false,
    highWaterMark: maxChunkBytes,
  });
  return jsonText(written, missingHeader(first.missing));
};

/** Chunks have a limited size: a stalled reader holds one chunk and the items of one slice. */
async function* writeSlices<T>(first: Page<T>, { read, show }: Reader<T>): AsyncGenerator<string> {
  let page = first;
  let chunk = '[';
  let separator = '';
  for (;;) {
    for (const item of page.items) {
      chunk += separator + JSON.stringify(show(item));
      separator = ',';
      if (chunk.length < maxChunkBytes) continue;
      yield chunk;
      chunk = '';
    }
    if (page.next === undefined) break;
    page = await read({ limit: sliceItems, after: page.next });
    // The headers are sent: a list that ends without its end is better than one that looks complete.
    const [silent] = page.missing ?? [];
    if (silent !== undefined)
      throw new MonError('unavailable', `the backend ${silent.backend} is missing: ${silent.why}`);
  }
  yield `${chunk}]`;
}
