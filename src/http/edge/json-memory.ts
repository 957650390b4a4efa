// Event cache of a session that uses JSON: the agent's entity, and the check definitions shared by all sessions.
import { parseEventAround } from '../../model/event/event-parse.ts';
import { parseGuarded } from '../../model/schema/guarded-json.ts';
import { maxPayloadBytes } from '../../wire/limits.ts';
import type { EventMemory } from './event-memory.ts';
import { KnownEntity, textAround } from './known-entity.ts';
import type { KnownFrames } from './known-frame.ts';

export const createJsonMemory = (frames: KnownFrames, entity = new KnownEntity()): EventMemory => ({
  recognise(payload, address) {
    const span = entity.recognise(payload);
    if (span === undefined) return undefined;
    const known = frames.recognise(payload, span, address.namespace);
    if (known !== undefined) return known;
    const raw = parseGuarded(textAround(payload, span), { maxBytes: maxPayloadBytes });
    // If it is not the null that replaced the entity, the document has two entities.
    if (!raw.ok || (raw.value as { entity?: unknown }).entity !== null) return undefined;
    const parsed = parseEventAround(raw.value, span.entity, address);
    if (!parsed.ok) return undefined;
    frames.learn(payload, span, address.namespace, parsed.value);
    return parsed.value;
  },
  learn: (payload, _address, event) => entity.learn(payload, event.entity),
});
