// Requests that a page of another site makes a browser send. The browser adds the password it remembers by itself, so such
// a request is refused where the browser asks nobody before it sends it (Fetch standard, CORS-safelisted requests).
// Programs send no `Origin`: handlers and scripts that post JSON as a form, as the libraries of their time do, go on.
import type { IncomingHttpHeaders } from 'node:http';
import { MonError } from '../../model/errors.ts';

const foreignSites: ReadonlySet<unknown> = new Set(['cross-site', 'same-site']);

/** Whether a browser says that a page of another origin asks. `Origin: null` is a page of no origin at all. */
export const isForeign = (headers: IncomingHttpHeaders): boolean => {
  if (foreignSites.has(headers['sec-fetch-site'])) return true;
  const { origin, host } = headers;
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host;
};

/** A browser asks first (preflight) before it sends any other type than those of a form. */
const isJson = (headers: IncomingHttpHeaders): boolean =>
  /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(headers['content-type'] ?? '');

/** Throws `unsupportedType` for a change that a page of another site could have made a browser send. */
export const refuseForged = (method: string, headers: IncomingHttpHeaders): void => {
  if (method === 'GET' || method === 'HEAD' || !isForeign(headers) || isJson(headers)) return;
  throw new MonError(
    'unsupportedType',
    'a page of another origin must send its request as Content-Type: application/json',
  );
};
