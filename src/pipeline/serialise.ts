// How an event leaves the house: as JSON with the entity's secrets redacted. Every workflow is handed the same
// immutable text, so no mutator can change what another workflow sees.
import type { Event } from '../model/event.ts';
import { jsonWithTimestamps } from '../model/exact-timestamps.ts';
import { redactEvent } from '../model/redaction.ts';
import { toWireEvent } from '../model/wire-shape.ts';

/** Metadata nested, no trailing newline. */
export const serialiseEvent = (event: Event): string =>
  jsonWithTimestamps(toWireEvent(redactEvent(event)), event);
