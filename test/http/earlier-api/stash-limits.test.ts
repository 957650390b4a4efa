// The limits of stashes, over a real socket.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxStashBytes, maxStashes } from '../../../src/http/earlier-api/limits.ts';
import { clientNamespace } from '../../../src/model/earlier/namespace.ts';
import { openLiveBackend, password } from './live-backend.ts';

const Authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;

test('stashes are limited in number and size', async (t) => {
  const live = await openLiveBackend();
  t.after(() => live.close());
  const post = async (path: string, content: object, expire?: number) => {
    const body = JSON.stringify({ path, content, ...(expire === undefined ? {} : { expire }) });
    const reply = await fetch(`${live.url}/stashes`, { method: 'POST', headers: { Authorization }, body });
    return [reply.status, reply.headers.get('x-error') ?? ''] as const;
  };
  const frame = Buffer.byteLength(JSON.stringify({ x: '' }));
  const full = { x: 'y'.repeat(maxStashBytes - frame) };
  assert.equal((await post('large', full))[0], 201);
  const [code, answer] = await post('larger', { x: `${full.x}y` });
  assert.equal(code, 400);
  assert.match(answer, new RegExp(`has ${maxStashBytes + 1} bytes .* limited to ${maxStashBytes}`));

  const fill = Array.from({ length: maxStashes - 2 }, (_, at) => {
    const id = { segment: 'stashes', namespace: clientNamespace, name: `n/${at}` };
    return live.backend.resources.put(id, { path: id.name, content: {}, expiresAtMs: null });
  });
  await Promise.all(fill);
  const atOnce = await Promise.all(['one', 'two', 'three', 'four'].map((path) => post(path, {})));
  assert.deepEqual(atOnce.map(([status]) => status).sort(), [201, 400, 400, 400]);
  const kept = ['one', 'two', 'three', 'four'][atOnce.findIndex(([status]) => status === 201)];
  const freed = await fetch(`${live.url}/stashes/${kept}`, { method: 'DELETE', headers: { Authorization } });
  assert.equal(freed.status, 204);
  assert.equal((await post('last', {}))[0], 201);
  const [refused, why] = await post('one-more', {});
  assert.equal(refused, 400);
  assert.match(why, /delete some, or set an expire/);
  assert.equal((await post('last', { changed: true }))[0], 201, 'what exists can be changed');
  const gone = await fetch(`${live.url}/stashes/last`, { method: 'DELETE', headers: { Authorization } });
  assert.equal(gone.status, 204);
  assert.equal((await post('one-more', {}))[0], 201);
});
