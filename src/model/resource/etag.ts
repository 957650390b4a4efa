// Entity tags: a strong hash of the response body, and the two conditional headers that use it (RFC 9110, section
// 13).
import { createHash } from 'node:crypto';

/** `"<32 hex digits>"`, quotes included. Equal bytes have equal tags. */
export const etagOf = (body: string | Buffer): string =>
  `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`;

/** The tags of a header without weak prefixes; `*` is kept. */
const tagsOf = (header: string): readonly string[] =>
  header
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .filter((tag) => tag !== '');

/** `*` matches any existing resource. */
const names = (header: string, etag: string | undefined): boolean => {
  if (etag === undefined) return false;
  const tags = tagsOf(header);
  return tags.includes('*') || tags.includes(etag);
};

export interface Conditions {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

/**
 * Whether the preconditions hold for this tag; undefined means the resource does not exist. Absent headers always
 * hold.
 */
export const conditionsHold = ({ ifMatch, ifNoneMatch }: Conditions, etag: string | undefined): boolean =>
  (ifMatch === undefined || names(ifMatch, etag)) && (ifNoneMatch === undefined || !names(ifNoneMatch, etag));

/** The message of a 412 response. */
export const conditionFailed = (key: string): string => `at least one condition failed for the key ${key}`;
