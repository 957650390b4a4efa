// The assets of a backend on disk: what it has not used for long goes, what it used stays.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openBackendAssets } from '../../src/main/backend-assets.ts';
import type { BackendSettings } from '../../src/main/backend-flags.ts';
import { runtimeAuthorities } from '../../src/model/access/trusted-authorities.ts';
import { assetSchema } from '../../src/model/resource/asset.ts';
import { readableLog, tempFolder } from '../agent/helpers.ts';
import { program, serve, sha512 } from '../assets/archives.ts';
import { eventually } from '../eventually.ts';

const dayMs = 86_400_000;

test('an asset unused for a month is removed a day after the start; one in use stays', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { url } = await serve(t, () => ({ status: 200, body: program }));
  const cacheDir = tempFolder();
  const folder = (sum: string): string => join(cacheDir, 'assets', sum);
  const old = 'a'.repeat(128);
  mkdirSync(folder(old), { recursive: true });
  const settings = {
    cacheDir,
    assetsRateLimit: 0,
    assetsBurstLimit: 1,
    assetsKeepUnused: 30 * dayMs,
  } as BackendSettings;
  const { store, entity } = openBackendAssets(settings, runtimeAuthorities, 'backend', readableLog().log);
  const used = assetSchema.parse({ metadata: { name: 'used' }, url, sha512: sha512(program) });
  assert.ok((await store.install([used], entity)).ok);
  const longAgo = new Date(Date.now() - 60 * dayMs);
  for (const sum of [old, sha512(program)]) utimesSync(folder(sum), longAgo, longAgo);
  t.mock.timers.tick(dayMs - 1);
  assert.ok(existsSync(folder(old)));
  t.mock.timers.tick(1);
  await eventually('the unused asset is gone', () => !existsSync(folder(old)));
  assert.ok(existsSync(folder(sha512(program))));
});
