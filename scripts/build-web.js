// Builds the page into web/dist: lays out every machine of the compiled backend, then bundles. Quiet, a few seconds.
// Usage: node scripts/build-web.js [--if-stale]   needs `npm run build` to have run
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const web = join(root, 'web');
const generated = join(web, 'src', 'generated');
const stampFile = join(web, 'dist', '.stamp');

const filesBelow = (dir) =>
  readdirSync(dir)
    .flatMap((name) => {
      const path = join(dir, name);
      return statSync(path).isDirectory() ? (path === generated ? [] : filesBelow(path)) : [path];
    })
    .sort();

/** What the page is made of: its sources and the machines it draws. */
const stampOf = (graphs) =>
  hashOf(
    [
      ...filesBelow(join(web, 'src')),
      ...filesBelow(join(web, 'build')),
      join(web, 'index.html'),
      fileURLToPath(import.meta.url),
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

const compiled = (path) => import(new URL(`../dist/${path}`, import.meta.url).href);

const loadGraphs = async () => {
  const { machineGraph } = await compiled('src/http/inspect/machine-graph.js');
  const { allMachines } = await compiled('src/machines/all-machines.js');
  return allMachines.map(({ machine, title }) => machineGraph(machine, title));
};

/** A drawing is made anew when its machine or the layouter changed: laying out is the slow part. */
const drawMachines = async (graphs) => {
  const { layoutChart } = await compiled('web/build/layout.js');
  const layouter = hashOf(filesBelow(join(web, 'build')));
  const kept = new Map(
    readDrawings().map((drawing) => [`${drawing.graph.sha}/${drawing.layouter}`, drawing]),
  );
  rmSync(generated, { recursive: true, force: true });
  mkdirSync(generated, { recursive: true });
  for (const graph of graphs) {
    const layout = kept.get(`${graph.sha}/${layouter}`)?.layout ?? (await layoutChart(graph));
    writeFileSync(join(generated, `${graph.id}.json`), JSON.stringify({ graph, layout, layouter }));
  }
};

const readDrawings = () => {
  try {
    return readdirSync(generated).map((name) => JSON.parse(readFileSync(join(generated, name), 'utf8')));
  } catch {
    // None yet, or cut off in the middle of a write: all are made.
    return [];
  }
};

const hashOf = (files, ...more) => {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(file));
  for (const text of more) hash.update(text);
  return hash.digest('hex');
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
