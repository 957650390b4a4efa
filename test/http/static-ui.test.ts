import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { registerHandbook, registerUi } from '../../src/http/static-ui.ts';

const start = async (t: TestContext, built = true) => {
  const root = await mkdtemp(join(tmpdir(), 'mon-ui-'));
  t.after(() => rm(root, { recursive: true }));
  if (built) {
    await mkdir(join(root, 'assets'));
    await writeFile(join(root, 'index.html'), '<!doctype html><title>page</title>');
    await writeFile(join(root, 'assets', 'main-abc.js'), 'console.log(1)');
  }
  await writeFile(join(root, '..', 'mon-ui-secret.json'), '{}');
  t.after(() => rm(join(root, '..', 'mon-ui-secret.json'), { force: true }));
  const app = Fastify();
  registerUi(app, { root });
  t.after(() => app.close());
  return (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });
};

test('the page is served with a policy that allows no other origin', async (t) => {
  const get = await start(t);
  const page = await get('/ui/');
  assert.equal(page.statusCode, 200);
  assert.match(page.body, /<title>page/);
  assert.match(String(page.headers['content-security-policy']), /^default-src 'self'/);
  assert.equal(page.headers['x-content-type-options'], 'nosniff');
  assert.equal(page.headers['cache-control'], 'no-cache');
  assert.equal((await get('/ui')).headers.location, '/ui/');
});

test('every view has an address: paths below /ui/ give the page', async (t) => {
  const get = await start(t);
  assert.match((await get('/ui/n/default/events/web-01/cpu.load')).body, /<title>page/);
});

test('assets are kept forever and packed; one that is not there is 404', async (t) => {
  const get = await start(t);
  const asset = await get('/ui/assets/main-abc.js', { 'accept-encoding': 'gzip' });
  assert.match(String(asset.headers['cache-control']), /immutable/);
  assert.equal(gunzipSync(asset.rawPayload).toString(), 'console.log(1)');
  const etag = String(asset.headers.etag);
  assert.equal((await get('/ui/assets/main-abc.js', { 'if-none-match': etag })).statusCode, 304);
  assert.equal((await get('/ui/assets/gone.js')).statusCode, 404);
});

test('no path leads out of the folder', async (t) => {
  const get = await start(t);
  for (const path of ['../mon-ui-secret.json', '%2e%2e/mon-ui-secret.json', '..%2fmon-ui-secret.json']) {
    const answer = await get(`/ui/${path}`);
    assert.notEqual(answer.body, '{}', path);
  }
});

test('the handbook is served below /docs/, and no path of it leads elsewhere', async (t) => {
  const app = Fastify();
  t.after(() => app.close());
  const files = { 'index.html': '<title>handbook</title>', 'guides/checks.html': '<title>checks</title>' };
  registerHandbook(app, {
    root: new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])),
  });
  const get = (url: string) => app.inject({ url });
  assert.equal((await get('/docs')).headers.location, '/docs/');
  assert.match((await get('/docs/')).body, /handbook/);
  const page = await get('/docs/guides/checks.html');
  assert.match(page.body, /checks/);
  assert.match(String(page.headers['content-security-policy']), /^default-src 'self'/);
  for (const path of ['guides/none.html', '../package.json', '%2e%2e/package.json'])
    assert.equal((await get(`/docs/${path}`)).statusCode, 404, path);
});

test('a handbook that was not built says how to build it', async (t) => {
  const app = Fastify();
  t.after(() => app.close());
  registerHandbook(app, { root: '/nowhere' });
  const answer = await app.inject({ url: '/docs/' });
  assert.equal(answer.statusCode, 503);
  assert.match(answer.body, /build-docs/);
});

test('a page that was not built says how to build it', async (t) => {
  const get = await start(t, false);
  const answer = await get('/ui/');
  assert.equal(answer.statusCode, 503);
  assert.match(answer.body, /scripts\/build-web\.js/);
});
