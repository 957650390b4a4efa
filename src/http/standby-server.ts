// The API of a backend on standby: `/ready` and `/health` report who serves; everything else is refused with 503.
import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { MonError } from '../model/errors.ts';
import { connectionTimeoutMs, maxConnections, requestTimeoutMs, startupRetryAfterSeconds } from './limits.ts';
import { toProblem } from './problem.ts';
import { type Answer, ok, plainText } from './route.ts';
import { healthBody } from './routes/operations.ts';
import { renewCertificate, type TlsOptions } from './tls.ts';

export interface StandbyServerOptions {
  readonly backendId: string;
  /** Who serves instead, one sentence. */
  readonly reason: () => string;
  readonly tls?: TlsOptions | undefined;
}

export interface StandbyServer {
  listen(host: string, port: number): Promise<AddressInfo>;
  /** Uses this certificate for new connections. Throws if it is invalid. */
  renewCertificate(tls: TlsOptions | undefined): void;
  close(): Promise<void>;
}

const retryLater = { 'Retry-After': String(startupRetryAfterSeconds) };

const answerOf = (path: string, { backendId, reason }: StandbyServerOptions): Answer => {
  if (path === '/ready') return plainText(503, `standby: ${reason()}\n`, retryLater);
  if (path === '/health')
    return ok(
      healthBody({ members: [{ name: backendId, healthy: true, error: `standby: ${reason()}` }] }, backendId),
    );
  if (path === '/metrics')
    return plainText(
      200,
      '# HELP mon_backend_standby Whether this backend is on standby.\n# TYPE mon_backend_standby gauge\nmon_backend_standby 1\n',
      { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' },
    );
  const { status, body } = toProblem(new MonError('unavailable', `on standby: ${reason()}`));
  return { status, body, headers: { ...retryLater, Connection: 'close' } };
};

export const createStandbyServer = (options: StandbyServerOptions): StandbyServer => {
  const { tls } = options;
  const app = Fastify({
    logger: false,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: connectionTimeoutMs,
    forceCloseConnections: true,
    ...(tls === undefined ? {} : { https: tls }),
  } as object) as unknown as FastifyInstance;
  app.server.maxConnections = maxConnections;
  // Answered before the body is read: whatever it is, it is refused.
  app.addHook('onRequest', async (request, reply) => {
    const { status, headers = {}, body } = answerOf(request.url.split('?')[0] ?? '', options);
    return reply.code(status).headers(headers).send(body);
  });
  return {
    async listen(host, port) {
      await app.listen({ host, port });
      return app.server.address() as AddressInfo;
    },
    renewCertificate: (renewed) => renewCertificate(app.server, renewed),
    close: () => app.close(),
  };
};
