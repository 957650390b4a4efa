// Builds the page into web/dist: lays out every machine of the compiled backend, then bundles. Quiet, a few seconds.
// Usage: node scripts/build-web.js [--if-stale]   needs `npm run build` to have run
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drawMachines, filesBelow, hashOf, loadGraphs } from './machine-drawings.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const web = join(root, 'web');
const stampFile = join(web, 'dist', '.stamp');

/** What the page is made of: its sources and the machines it draws. */
const stampOf = (graphs) =>
  hashOf(
    [
      ...filesBelow(join(web, 'src')),
      ...filesBelow(join(web, 'build')),
      join(web, 'index.html'),
      fileURLToPath(import.meta.url),
      fileURLToPath(new URL('machine-drawings.js', import.meta.url)),
    ],
    ...graphs.map((graph) => graph.sha),
  );

const readStamp = () => {
  try {
    return readFileSync(stampFile, 'utf8');
  } catch {
    return '';
  }
};

const bundle = async () => {
  const { build } = await import('vite');
  await build({
    root: web,
    base: '/ui/',
    configFile: false,
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: 'dist',
      emptyOutDir: true,
      target: 'es2022',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
  });
};

const main = async () => {
  const graphs = await loadGraphs();
  const stamp = stampOf(graphs);
  if (process.argv.includes('--if-stale') && readStamp() === stamp) return;
  await drawMachines(graphs);
  await bundle();
  writeFileSync(stampFile, stamp);
};

await main();
