// Entity tags: a strong hash of what is sent, and the two conditions that name it (RFC 9110, section 13).
import { createHash } from 'node:crypto';

/** `"<32 hex digits>"`, quotes included: equal bytes, equal tag. */
export const etagOf = (body: string | Buffer): string =>
  `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`;

/** The tags of a header, weak marks taken off; `*` stays. */
const tagsOf = (header: string): readonly string[] =>
  header
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .filter((tag) => tag !== '');

/** `*` names whatever is there. */
const names = (header: string, etag: string | undefined): boolean => {
  if (etag === undefined) return false;
  const tags = tagsOf(header);
  return tags.includes('*') || tags.includes(etag);
};

export interface Conditions {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

/** Whether a request about what has this tag may go on; undefined: there is nothing. Absent headers ask for nothing. */
export const conditionsHold = ({ ifMatch, ifNoneMatch }: Conditions, etag: string | undefined): boolean =>
  (ifMatch === undefined || names(ifMatch, etag)) && (ifNoneMatch === undefined || !names(ifNoneMatch, etag));

/** The message of 412. */
export const conditionFailed = (key: string): string => `at least one condition failed for the key ${key}`;
