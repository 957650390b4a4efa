// Serializes an event for handlers: JSON with the entity's secrets redacted. All workflows get the same immutable
// text, so no mutator can change what another workflow sees.
import type { Event } from '../model/event/event.ts';
import { jsonWithTimestamps } from '../model/event/exact-timestamps.ts';
import { toWireEvent } from '../model/event/wire-shape.ts';
import { redactEvent } from '../model/resource/redaction.ts';

/** Nested metadata, no trailing newline. */
export const serialiseEvent = (event: Event): string =>
  jsonWithTimestamps(toWireEvent(redactEvent(event)), event);
