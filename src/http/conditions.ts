// Conditional requests (RFC 9110, section 13): writes for a specific state, and reads of a representation the
// client may already have. ETags are those of the GET response for one resource.
import { MonError } from '../model/errors.ts';
import { conditionFailed, conditionsHold, etagOf } from '../model/resource/etag.ts';
import type { Answer, Call } from './route.ts';

export const isConditional = ({ headers }: Call): boolean =>
  headers['if-match'] !== undefined || headers['if-none-match'] !== undefined;

/**
 * `current` returns what a GET would return now; undefined if it does not exist. Called only for conditional requests,
 * since the tag of a large resource is expensive. Throws `preconditionFailed`.
 */
export const checkConditions = (call: Call, key: string, current: () => object | undefined): void => {
  if (!isConditional(call)) return;
  const { headers } = call;
  const conditions = { ifMatch: headers['if-match'], ifNoneMatch: headers['if-none-match'] };
  const now = current();
  const etag = now === undefined ? undefined : etagOf(JSON.stringify(now));
  if (!conditionsHold(conditions, etag)) throw new MonError('preconditionFailed', conditionFailed(key));
};

/** The response to a read, or 304 without a body if the client already has this ETag. */
export const unlessKnown = (answer: Answer, ifNoneMatch: string | undefined): Answer => {
  const etag = answer.headers?.ETag;
  if (etag === undefined || answer.status !== 200 || conditionsHold({ ifNoneMatch }, etag)) return answer;
  return { status: 304, headers: { ETag: etag } };
};
