// The memory of a session that sends JSON: the agent's own entity, and the definitions of checks that all sessions share.
import { parseEventAround } from '../../model/event-parse.ts';
import { parseGuarded } from '../../model/guarded-json.ts';
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
    // Anything but the null that was put there: the document has two entities.
    if (!raw.ok || (raw.value as { entity?: unknown }).entity !== null) return undefined;
    const parsed = parseEventAround(raw.value, span.entity, address);
    if (!parsed.ok) return undefined;
    frames.learn(payload, span, address.namespace, parsed.value);
    return parsed.value;
  },
  learn: (payload, _address, event) => entity.learn(payload, event.entity),
});
