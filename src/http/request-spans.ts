// Requests as spans of distributed tracing, with the trace of the caller (W3C Trace Context). Absent unless a collector is configured.
import type { FastifyInstance, FastifyRequest } from 'fastify';

interface RequestSpan {
  /** Runs a continuation so that what it causes belongs to this request. */
  within(proceed: () => void): void;
  end(status: number): void;
}

export interface RequestSpans {
  /** `route` is the pattern, such as `/api/core/v2/namespaces/:namespace/events`; empty if there is none. */
  begin(request: {
    readonly method: string;
    readonly route: string;
    readonly headers: Readonly<Record<string, unknown>>;
  }): RequestSpan;
}

export const followRequests = (app: FastifyInstance, spans: RequestSpans): void => {
  const open = new WeakMap<FastifyRequest, RequestSpan>();
  const within = (request: FastifyRequest, proceed: () => void): void => {
    const span = open.get(request);
    if (span === undefined) proceed();
    else span.within(proceed);
  };
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, headers } = request;
    open.set(request, spans.begin({ method, headers, route: request.routeOptions.url ?? '' }));
    within(request, done);
  });
  // Reading the body leaves the context of the first hook.
  app.addHook('preValidation', (request, _reply, done) => within(request, done));
  app.addHook('onRequestAbort', async (request) => open.get(request)?.end(clientClosedRequest));
  app.addHook('onResponse', async (request, reply) => open.get(request)?.end(reply.statusCode));
};

/** What proxies log for a request whose client went away. */
const clientClosedRequest = 499;
