// The event in the record of a check. A record may be damaged: the restore moves it aside, and this module skips it.

import type { CheckContext } from '../../machines/check/check-facts.ts';
import type { CheckEvent } from '../../model/event/event.ts';
import { isObject } from '../../model/schema/is-object.ts';
import type { StoredRecord } from '../../store/snapshot-store.ts';

/** Since when the event is as bad as it is, in Unix seconds; undefined in records of programs that did not keep it. */
export const sinceInRecord = (record: StoredRecord | undefined): number | undefined => {
  const { context } = (record?.state ?? {}) as { readonly context?: CheckContext };
  return typeof context?.since === 'number' ? context.since : undefined;
};

/** Null when there is no record, no event in it yet, or none that can be listed. */
export const eventIn = (record: StoredRecord | undefined): CheckEvent | null => {
  const { context } = (record?.state ?? {}) as { readonly context?: CheckContext };
  const event = context?.event ?? null;
  return isObject(event?.check?.metadata) && isObject(event?.entity?.metadata) ? event : null;
};
