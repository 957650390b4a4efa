// The life of an event as spans of distributed tracing. Implemented in src/main/telemetry; absent unless a collector is configured.
import type { Event } from '../model/event/event.ts';
import type { Span } from '../pipeline/span.ts';
import type { Receipt } from './runtime/outcome.ts';

/** How an event arrived: as a result or keepalive of an agent, or over the API. */
export type EventSource = 'event' | 'keepalive' | 'api';

export interface EventSpans {
  /** Begins a span that ends when the returned receipt is called, which also calls the given one. */
  arrived(event: Event, source: EventSource, receipt: Receipt): Receipt;
  /** A run of the event's pipelines. The caller ends it. */
  delivery(event: Event): Span;
}
