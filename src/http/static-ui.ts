// Serves the built page at /ui/ and the handbook at /docs/ from directories that are read once at start: request
// paths never reach the disk.
// Assets have a hash in their name and are cached forever; the page itself is not cached.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

export interface UiOptions {
  /** The folder of the built page, which holds `index.html`; or its files by their path below it. */
  readonly root: string | ReadonlyMap<string, Buffer>;
}

interface Asset {
  readonly type: string;
  readonly etag: string;
  readonly isHashed: boolean;
  readonly plain: Buffer;
  readonly gzip: Buffer;
  readonly brotli: Buffer;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
};

const contentSecurityPolicy =
  "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";

const notBuilt = 'The page is not built. Run `node scripts/build-web.js` and start the backend again.\n';

/** Never throws for a missing directory; the page then explains how to build it. */
export const registerUi = (app: FastifyInstance, { root }: UiOptions): void => {
  const assets = readAssets(root);
  const answer = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const path = (request.params as { '*'?: string })['*'] ?? '';
    const asset = assets.get(path === '' ? 'index.html' : path);
    if (assets.size === 0) return withHeaders(reply).code(503).type('text/plain').send(notBuilt);
    // Every view has its own path below /ui/; the page does its own routing.
    if (asset !== undefined) return send(request, reply, asset);
    if (path.startsWith('assets/')) {
      reply.callNotFound();
      return reply;
    }
    return send(request, reply, assets.get('index.html') as Asset);
  };
  for (const path of ['/', '/ui']) app.get(path, (_request, reply) => reply.redirect('/ui/', 302));
  // Browsers ask for it under this name whatever a page says.
  app.get('/favicon.ico', (_request, reply) => reply.redirect('/ui/icon.svg', 302));
  app.get('/ui/', answer);
  app.get('/ui/*', answer);
};

const handbookNotBuilt =
  'The handbook is not built. Run `node scripts/build-docs.js` and start the backend again. The API reference is at /docs/api.\n';

/** Never throws for a missing directory; the answer then explains how to build it. */
export const registerHandbook = (app: FastifyInstance, { root }: UiOptions): void => {
  const assets = readAssets(root);
  const answer = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const path = (request.params as { '*'?: string })['*'] ?? '';
    if (assets.size === 0) return withHeaders(reply).code(503).type('text/plain').send(handbookNotBuilt);
    const asset = assets.get(path === '' ? 'index.html' : path);
    if (asset !== undefined) return send(request, reply, asset);
    reply.callNotFound();
    return reply;
  };
  app.get('/docs', (_request, reply) => reply.redirect('/docs/', 302));
  app.get('/docs/', answer);
  app.get('/docs/*', answer);
};

const withHeaders = (reply: FastifyReply): FastifyReply =>
  reply
    .header('content-security-policy', contentSecurityPolicy)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('cross-origin-opener-policy', 'same-origin');

const send = (request: FastifyRequest, reply: FastifyReply, asset: Asset): FastifyReply => {
  withHeaders(reply)
    .type(asset.type)
    .header('vary', 'accept-encoding')
    .header('etag', asset.etag)
    .header('cache-control', asset.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
  if (request.headers['if-none-match'] === asset.etag) return reply.code(304).send();
  const accepted = String(request.headers['accept-encoding'] ?? '');
  if (/\bbr\b/.test(accepted)) return reply.header('content-encoding', 'br').send(asset.brotli);
  if (/\bgzip\b/.test(accepted)) return reply.header('content-encoding', 'gzip').send(asset.gzip);
  return reply.send(asset.plain);
};

const readFolder = (root: string): ReadonlyMap<string, Buffer> =>
  new Map(filesBelow(root).map((path) => [relative(root, path).split(sep).join('/'), readFileSync(path)]));

const readAssets = (root: UiOptions['root']): ReadonlyMap<string, Asset> => {
  const found = new Map<string, Asset>();
  for (const [name, plain] of typeof root === 'string' ? readFolder(root) : root) {
    const type = types[extname(name)];
    if (type === undefined) continue;
    found.set(name, {
      type,
      etag: `"${createHash('sha256').update(plain).digest('hex').slice(0, 16)}"`,
      isHashed: name.startsWith('assets/'),
      plain,
      gzip: gzipSync(plain),
      brotli: brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
    });
  }
  return found.has('index.html') ? found : new Map();
};

const filesBelow = (root: string): string[] => {
  try {
    return readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
};
