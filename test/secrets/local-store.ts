// A secrets store for tests: HTTPS with certificates of its own authority, key-value engine in both versions.
import { once } from 'node:events';
import { createServer, type Server, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { Authority } from '../http/certificates.ts';

export interface LocalStore {
  readonly url: string;
  readonly token: string;
  /** By path as it is asked for, e.g. `/v1/secret/data/pager`. */
  readonly data: Map<string, unknown>;
  /** Statuses it answers with before it behaves; 0 cuts the connection, -1 never answers. */
  readonly trouble: number[];
  readonly asked: { path: string; atMs: number; client: string | undefined }[];
}

export const startStore = async (
  t: TestContext,
  authority: Authority,
  options: ServerOptions = {},
): Promise<LocalStore> => {
  const { cert, key } = authority.issue('store');
  const store: Omit<LocalStore, 'url'> = {
    token: 'store-token-canary',
    data: new Map(),
    trouble: [],
    asked: [],
  };
  const server: Server = createServer({ cert, key, ...options }, (request, response) => {
    const socket = request.socket as import('node:tls').TLSSocket;
    const path = decodeURI(request.url ?? '');
    const subject = socket.getPeerCertificate().subject?.CN;
    store.asked.push({
      path,
      atMs: performance.now(),
      client: typeof subject === 'string' ? subject : undefined,
    });
    const trouble = store.trouble.shift();
    if (trouble === -1) return;
    if (trouble === 0) return void request.socket.destroy();
    const status =
      trouble ?? (request.headers['x-vault-token'] !== store.token ? 403 : store.data.has(path) ? 200 : 404);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(status === 200 ? { data: store.data.get(path) } : { errors: [] }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { ...store, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` };
};
