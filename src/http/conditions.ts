// Conditional requests (RFC 9110, section 13): writes that name the state they are meant for, and reads of what the reader
// has already. Tags are those of `GET` one.
import { MonError } from '../model/errors.ts';
import { conditionFailed, conditionsHold, etagOf } from '../model/etag.ts';
import type { Answer, Call } from './route.ts';

/** `current`: what a reader would get now, undefined where there is nothing. Throws `preconditionFailed`. */
export const checkConditions = ({ headers }: Call, key: string, current: object | undefined): void => {
  const conditions = { ifMatch: headers['if-match'], ifNoneMatch: headers['if-none-match'] };
  const etag = current === undefined ? undefined : etagOf(JSON.stringify(current));
  if (!conditionsHold(conditions, etag)) throw new MonError('preconditionFailed', conditionFailed(key));
};

export const isConditional = ({ headers }: Call): boolean =>
  headers['if-match'] !== undefined || headers['if-none-match'] !== undefined;

/** The answer to a read, or 304 without a body where the reader names the tag it carries. */
export const unlessKnown = (answer: Answer, ifNoneMatch: string | undefined): Answer => {
  const etag = answer.headers?.ETag;
  if (etag === undefined || answer.status !== 200 || conditionsHold({ ifNoneMatch }, etag)) return answer;
  return { status: 304, headers: { ETag: etag } };
};
