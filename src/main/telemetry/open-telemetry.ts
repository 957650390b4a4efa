// Traces for an OpenTelemetry collector, over OTLP/HTTP. The only place that uses the SDK; loaded only when a collector is configured.
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  DiagLogLevel,
  diag,
  isSpanContextValid,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type IdGenerator,
  ParentBasedSampler,
  RandomIdGenerator,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { LRUCache } from 'lru-cache';
import type { EventSpans } from '../../actors/event-spans.ts';
import type { Outcome } from '../../actors/runtime/outcome.ts';
import type { RequestSpans } from '../../http/request-spans.ts';
import { type TrustedAuthorities, trusting } from '../../model/access/trusted-authorities.ts';
import { type Event, eventNamespace } from '../../model/event/event.ts';
import type { Span, SpanAttributes } from '../../pipeline/span.ts';

export interface TelemetryOptions {
  /** Base URL of the collector, such as `http://127.0.0.1:4318`. */
  readonly endpoint: string;
  /** Share of the traces to record, from 0 to 1. A caller's decision in `traceparent` wins. */
  readonly ratio: number;
  readonly backend: string;
  readonly version: string;
  readonly authorities: TrustedAuthorities;
  readonly log: { warn(fields: object, text: string): void };
}

export interface Telemetry {
  readonly events: EventSpans;
  readonly requests: RequestSpans;
  /** Sends what was recorded. Never rejects. */
  close(): Promise<void>;
}

/** Events whose caller's trace is remembered until their delivery. */
const maxRememberedTraces = 10_000;
/** Failures of the collector are logged this often at most. */
const complaintEveryMs = 60_000;
const closeTimeoutMs = 1_000;

/** The id of an event is a UUID, and so a valid trace id: everything about it is found by it, on every backend. */
const traceIdOf = (eventId: string | null): string | undefined => {
  const hex = eventId?.replaceAll('-', '').toLowerCase();
  return hex !== undefined && /^[0-9a-f]{32}$/.test(hex) && !/^0+$/.test(hex) ? hex : undefined;
};

class EventIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #wanted: string | undefined;

  /** The trace that `begin` starts, if it starts one, gets this id. */
  with<T>(traceId: string | undefined, begin: () => T): T {
    this.#wanted = traceId;
    try {
      return begin();
    } finally {
      this.#wanted = undefined;
    }
  }

  generateTraceId(): string {
    return this.#wanted ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    return this.#random.generateSpanId();
  }
}

const traceparentOf = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;

const attributesOf = (event: Event): SpanAttributes => ({
  'mon.namespace': eventNamespace(event),
  'mon.entity': event.check?.proxy_entity_name || event.entity.metadata.name,
  ...(event.id === null ? {} : { 'mon.event.id': event.id }),
  ...(event.check === null || event.check === undefined
    ? {}
    : { 'mon.check': event.check.metadata.name, 'mon.check.status': event.check.status }),
});

const errorOf = (outcome: Outcome): string | undefined => {
  if (outcome.type === 'done') return undefined;
  return 'error' in outcome ? outcome.error.message : outcome.message;
};

const complainSeldom = ({ log, endpoint }: TelemetryOptions): void => {
  let lastMs = -Infinity;
  const say = (message: string): void => {
    const nowMs = performance.now();
    if (nowMs - lastMs < complaintEveryMs) return;
    lastMs = nowMs;
    log.warn(
      { endpoint: withoutCredentials(endpoint), why: message.slice(0, 500) },
      'traces cannot be sent to the collector',
    );
  };
  const silent = (): void => {};
  const logger = { error: say, warn: say, info: silent, debug: silent, verbose: silent };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
};

const withoutCredentials = (endpoint: string): string => {
  const url = new URL(endpoint);
  url.username = '';
  url.password = '';
  return url.href;
};

export const openTelemetry = (options: TelemetryOptions): Telemetry => {
  complainSeldom(options);
  const ids = new EventIds();
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': process.env.OTEL_SERVICE_NAME || 'mon-backend',
      'service.version': options.version,
      'service.instance.id': options.backend,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.ratio) }),
    idGenerator: ids,
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({
          url: `${options.endpoint.replace(/\/+$/, '')}/v1/traces`,
          httpAgentOptions: trusting(options.authorities),
        }),
      }),
    ],
  });
  const tracer = provider.getTracer('mon-backend', options.version);
  const requests = new AsyncLocalStorage<Context>();
  const parents = new LRUCache<string, SpanContext>({ max: maxRememberedTraces });

  const open = (name: string, kind: SpanKind, attributes: SpanAttributes, context: Context): OtelSpan =>
    tracer.startSpan(name, { kind, attributes: { ...attributes } }, context);

  const spanOf = (span: OtelSpan, context: Context): Span => ({
    traceparent: traceparentOf(span.spanContext()),
    child: (name, attributes = {}) => {
      const inside = trace.setSpan(context, span);
      return spanOf(open(name, SpanKind.INTERNAL, attributes, inside), inside);
    },
    end(attributes, error) {
      if (attributes !== undefined) span.setAttributes({ ...attributes });
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
      span.end();
    },
  });

  const events: EventSpans = {
    arrived(event, source, receipt) {
      const caller = requests.getStore() ?? ROOT_CONTEXT;
      const kind = source === 'api' ? SpanKind.INTERNAL : SpanKind.CONSUMER;
      const span = ids.with(traceIdOf(event.id), () =>
        open('receive event', kind, { ...attributesOf(event), 'mon.source': source }, caller),
      );
      if (event.id !== null) parents.set(event.id, span.spanContext());
      return (outcome) => {
        const error = errorOf(outcome);
        span.setAttribute('mon.outcome', outcome.type);
        if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
        span.end();
        receipt(outcome);
      };
    },
    delivery(event) {
      const parent = event.id === null ? undefined : parents.get(event.id);
      const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
      const span = ids.with(traceIdOf(event.id), () =>
        open('deliver event', SpanKind.INTERNAL, attributesOf(event), context),
      );
      return spanOf(span, context);
    },
  };

  return {
    events,
    requests: {
      begin({ method, route, headers }) {
        const { traceparent } = headers;
        const parsed = typeof traceparent === 'string' ? parseTraceParent(traceparent) : null;
        const from =
          parsed !== null && isSpanContextValid(parsed)
            ? trace.setSpanContext(ROOT_CONTEXT, { ...parsed, isRemote: true })
            : ROOT_CONTEXT;
        const named: SpanAttributes = {
          'http.request.method': method,
          ...(route === '' ? {} : { 'http.route': route }),
        };
        const span = open(`${method} ${route}`.trim(), SpanKind.SERVER, named, from);
        const context = trace.setSpan(from, span);
        let isOpen = true;
        return {
          within: (proceed) => requests.run(context, proceed),
          end(status) {
            if (!isOpen) return;
            isOpen = false;
            span.setAttribute('http.response.status_code', status);
            if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
            span.end();
          },
        };
      },
    },
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, closeTimeoutMs);
      });
      await Promise.race([provider.shutdown().catch(() => {}), late]);
      clearTimeout(timer);
    },
  };
};
