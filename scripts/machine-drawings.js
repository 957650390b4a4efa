// Draws every machine of the compiled backend: where its states and lines are. What was drawn before is kept in
// web/src/generated, since laying out is the slow part. For the page and for the handbook; needs `npm run build`.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const web = fileURLToPath(new URL('../web', import.meta.url));
const generated = join(web, 'src', 'generated');

/** All files below a folder but those that are made here. */
export const filesBelow = (dir) =>
  readdirSync(dir)
    .flatMap((name) => {
      const path = join(dir, name);
      return statSync(path).isDirectory() ? (path === generated ? [] : filesBelow(path)) : [path];
    })
    .sort();

export const hashOf = (files, ...more) => {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(file));
  for (const text of more) hash.update(text);
  return hash.digest('hex');
};

const compiled = (path) => import(new URL(`../dist/${path}`, import.meta.url).href);

export const loadGraphs = async () => {
  const { machineGraph } = await compiled('src/http/inspect/machine-graph.js');
  const { allMachines } = await compiled('src/main/all-machines.js');
  return allMachines.map(({ machine, title }) => machineGraph(machine, title));
};

const kept = (id) => {
  try {
    return JSON.parse(readFileSync(join(generated, `${id}.json`), 'utf8'));
  } catch {
    // Not drawn yet, or cut off in the middle of a write.
    return undefined;
  }
};

/** Written beside its place first: the page and the handbook may be built at the same time. */
const keep = (drawing) => {
  const file = join(generated, `${drawing.graph.id}.json`);
  const part = `${file}.${process.pid}`;
  writeFileSync(part, JSON.stringify(drawing));
  renameSync(part, file);
};

/** Resolves to `{graph, layout}` of each graph, and leaves exactly these drawings in the folder. */
export const drawMachines = async (graphs) => {
  const { layoutChart } = await compiled('web/build/layout.js');
  const layouter = hashOf(filesBelow(join(web, 'build')));
  mkdirSync(generated, { recursive: true });
  const drawings = [];
  for (const graph of graphs) {
    const before = kept(graph.id);
    const isFresh = before?.graph.sha === graph.sha && before.layouter === layouter;
    const drawing = isFresh ? before : { graph, layout: await layoutChart(graph), layouter };
    if (!isFresh) keep(drawing);
    drawings.push(drawing);
  }
  const wanted = new Set(graphs.map(({ id }) => `${id}.json`));
  for (const name of readdirSync(generated))
    if (name.endsWith('.json') && !wanted.has(name)) rmSync(join(generated, name), { force: true });
  return drawings;
};
