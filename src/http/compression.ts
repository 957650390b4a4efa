// Response compression for clients that accept it: JSON lists shrink to a tenth. It runs off the event loop, with a limit on
// concurrent jobs; above the limit a response is sent uncompressed. Responses with credentials and streams are never compressed.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';

export interface CompressionLimits {
  /** Smaller responses are not compressed: they fit into one or two packets. */
  readonly compressFromBytes: number;
  /** Maximum number of responses compressed at the same time. */
  readonly maxCompressions: number;
}

type Encoding = 'br' | 'gzip';

const packers: Readonly<Record<Encoding, (plain: string | Buffer) => Promise<Buffer>>> = {
  br: (plain) =>
    promisify(brotliCompress)(plain, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 4,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      },
    }),
  gzip: (plain) => promisify(gzip)(plain, { level: 5 }),
};

/** The preferred encoding the client accepts; `;q=0` excludes one. */
export const encodingFor = (accepted: string | readonly string[] | undefined): Encoding | undefined => {
  const offers = String(accepted ?? '')
    .split(',')
    .map((offer) => offer.trim().toLowerCase())
    .filter((offer) => !/;\s*q=0(\.0*)?$/.test(offer))
    .map((offer) => offer.split(';', 1)[0]);
  return (['br', 'gzip'] as const).find((encoding) => offers.includes(encoding));
};

const isPlainText = (reply: FastifyReply): boolean => {
  const type = String(reply.getHeader('content-type') ?? '');
  const cache = String(reply.getHeader('cache-control') ?? '');
  return (
    /json|yaml|^text\/(plain|html|css)/.test(type) &&
    !cache.includes('no-store') &&
    reply.getHeader('content-encoding') === undefined
  );
};

export const compressAnswers = (app: FastifyInstance, limits: CompressionLimits): void => {
  let running = 0;
  app.addHook('onSend', async (request, reply, payload: unknown) => {
    const isText = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (!isText || payload.length < limits.compressFromBytes || !isPlainText(reply)) return payload;
    reply.header('vary', 'accept-encoding');
    const encoding = encodingFor(request.headers['accept-encoding']);
    if (encoding === undefined || running >= limits.maxCompressions) return payload;
    running += 1;
    try {
      const packed = await packers[encoding](payload);
      reply.header('content-encoding', encoding).removeHeader('content-length');
      return packed;
    } finally {
      running -= 1;
    }
  });
};
