// Protects against cross-site requests. Browsers attach remembered Basic credentials automatically, so requests
// that a browser sends without a preflight are rejected if they come from another origin (Fetch standard,
// CORS-safelisted requests). Programs send no `Origin` header, so scripts that post JSON with a form content type
// keep working.
import type { IncomingHttpHeaders } from 'node:http';
import { MonError } from '../../model/errors.ts';

const foreignSites: ReadonlySet<unknown> = new Set(['cross-site', 'same-site']);

/** Whether a browser reports another origin. `Origin: null` counts as another origin. */
export const isForeign = (headers: IncomingHttpHeaders): boolean => {
  if (foreignSites.has(headers['sec-fetch-site'])) return true;
  const { origin, host } = headers;
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host;
};

/** Browsers send a preflight request for any content type other than those of forms. */
const isJson = (headers: IncomingHttpHeaders): boolean =>
  /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(headers['content-type'] ?? '');

/** Throws `unsupportedType` for a write that another site could have forged. */
export const refuseForged = (method: string, headers: IncomingHttpHeaders): void => {
  if (method === 'GET' || method === 'HEAD' || !isForeign(headers) || isJson(headers)) return;
  throw new MonError(
    'unsupportedType',
    'a page of another origin must send its request as Content-Type: application/json',
  );
};
