// Answers over the wire as clients ask for them: packed, or as they are.
import assert from 'node:assert/strict';
import { get, type IncomingHttpHeaders } from 'node:http';
import { type TestContext, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { type CompressionLimits, compressAnswers, encodingFor } from '../../src/http/compression.ts';
import { openRealHouse } from './real-house.ts';

const ask = (
  url: string,
  headers: Record<string, string>,
): Promise<{ readonly headers: IncomingHttpHeaders; readonly bytes: Buffer }> =>
  new Promise((resolve, reject) => {
    get(url, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ headers: response.headers, bytes: Buffer.concat(chunks) }));
    }).on('error', reject);
  });

const from = 2_000;
const serve = async (t: TestContext, limits: Partial<CompressionLimits> = {}): Promise<string> => {
  const app = Fastify();
  compressAnswers(app, { compressFromBytes: from, maxCompressions: 2, ...limits });
  app.get('/text/:length', (request, reply) => {
    const { length } = request.params as { length: string };
    return reply.type('application/json').send('x'.repeat(Number(length)));
  });
  app.get('/secret', (_request, reply) =>
    reply
      .type('application/json')
      .header('cache-control', 'no-store')
      .send('x'.repeat(2 * from)),
  );
  t.after(() => app.close());
  return app.listen({ host: '127.0.0.1', port: 0 });
};

test('a list comes packed to who accepts it, and is the same', async (t) => {
  const house = await openRealHouse(t);
  const authorization = await house.login();
  const url = `${house.url}/api/inspect/v1/machines`;
  const plain = await ask(url, { authorization });
  assert.equal(plain.headers['content-encoding'], undefined);
  assert.ok(plain.bytes.length > 2_048, 'the list is too short to be packed');
  for (const [encoding, unpack] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const packed = await ask(url, { authorization, 'accept-encoding': encoding });
    assert.equal(packed.headers['content-encoding'], encoding);
    assert.equal(packed.headers['vary'], 'accept-encoding');
    assert.equal(packed.headers['content-length'], String(packed.bytes.length));
    assert.ok(packed.bytes.length < plain.bytes.length / 2);
    assert.deepEqual(unpack(packed.bytes), plain.bytes);
  }
});

test('small answers, and those that open the API, are sent as they are', async (t) => {
  const url = await serve(t);
  const accept = { 'accept-encoding': 'gzip, br' };
  assert.equal((await ask(`${url}/text/${from}`, accept)).headers['content-encoding'], 'br');
  assert.equal((await ask(`${url}/text/${from - 1}`, accept)).headers['content-encoding'], undefined);
  assert.equal((await ask(`${url}/secret`, accept)).headers['content-encoding'], undefined);
});

test('so many answers are packed at once; one more goes out as it is', async (t) => {
  const url = await serve(t, { maxCompressions: 1 });
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => ask(`${url}/text/4000000`, { 'accept-encoding': 'br' })),
  );
  const packed = answers.filter(({ headers }) => headers['content-encoding'] === 'br');
  assert.ok(packed.length > 0 && packed.length < 20, `${packed.length} of 20 were packed`);
  for (const { headers, bytes } of answers)
    assert.equal(
      (headers['content-encoding'] === 'br' ? brotliDecompressSync(bytes) : bytes).length,
      4_000_000,
    );
});

test('an encoding with the weight 0 is refused', () => {
  assert.equal(encodingFor('gzip, deflate, br'), 'br');
  assert.equal(encodingFor('br;q=0, gzip;q=0.5'), 'gzip');
  assert.equal(encodingFor('identity'), undefined);
  assert.equal(encodingFor(undefined), undefined);
});
