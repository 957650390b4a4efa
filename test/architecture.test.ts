// The direction of imports: each room leans only on the rooms below it, and a few libraries have one door each.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { test } from 'node:test';

const root = process.cwd();
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => path.replaceAll('\\', '/'));

/** A room, and the rooms it may lean on besides itself. */
const leansOn: Record<string, readonly string[]> = {
  model: [],
  machines: ['model'],
  program: ['model'],
  wire: ['model'],
  cluster: ['model', 'machines'],
  store: ['model', 'program', 'cluster'],
  pipeline: ['model', 'program', 'execution'],
  secrets: ['model'],
  assets: ['model', 'program'],
  execution: [],
  sockets: ['model'],
  actors: ['model', 'machines', 'wire', 'store', 'cluster', 'pipeline', 'secrets', 'assets'],
  http: ['model', 'machines', 'wire', 'store', 'pipeline', 'actors'],
  agent: ['model', 'program', 'machines', 'wire', 'assets', 'execution', 'sockets', 'actors'],
  client: ['model', 'program', 'machines', 'wire', 'execution', 'sockets'],
  ctl: ['model', 'program', 'machines', 'wire', 'assets'],
  main: [
    'model',
    'program',
    'machines',
    'wire',
    'store',
    'pipeline',
    'secrets',
    'assets',
    'actors',
    'http',
    'cluster',
    'agent',
    'client',
    'ctl',
  ],
};

/** Libraries that enter through one file each, so that their traps are met in one place. */
const doors: Record<string, readonly RegExp[]> = {
  mongodb: [/^store\/mongo-store\.ts$/],
  lmdb: [/^store\/lmdb-store\.ts$/],
  fastify: [/^http\//],
  '@nats-io/transport-node': [/^cluster\/nats-/],
  commander: [/^main\//, /^program\/command-line\.ts$/, /^ctl\//],
};

const importsOf = (path: string): string[] => {
  const text = readFileSync(join(root, 'src', path), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '');
};

const roomOf = (path: string): string => path.split('/')[0] ?? '';

test('every source file stands in a room', () => {
  const strays = sources.filter((path) => leansOn[roomOf(path)] === undefined);
  assert.deepEqual(strays, []);
});

test('imports run one way', () => {
  const wrong = sources.flatMap((path) =>
    importsOf(path)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => relative(join(root, 'src'), resolve(root, 'src', path, '..', specifier)))
      .filter((target) => !target.startsWith('..') && roomOf(target) !== roomOf(path))
      .filter((target) => leansOn[roomOf(path)]?.includes(roomOf(target)) !== true)
      .map((target) => `${path} leans on ${target}`),
  );
  assert.deepEqual(wrong, []);
});

test('libraries with one door are imported there only', () => {
  const wrong = sources.flatMap((path) =>
    importsOf(path)
      .filter((specifier) => doors[specifier]?.some((door) => door.test(path)) === false)
      .map((specifier) => `${path} imports ${specifier}`),
  );
  assert.deepEqual(wrong, []);
});

test('threads and processes of our own are started from what an executable carries inside', () => {
  const packaged = readFileSync(join(root, 'packaging/bundle.js'), 'utf8');
  const strays = sources
    .filter((path) => path !== 'program/packaged.ts')
    .flatMap((path) => {
      const text = readFileSync(join(root, 'src', path), 'utf8');
      const modules = [...text.matchAll(/new URL\(\s*'([^']+\.js)',\s*import\.meta\.url/g)];
      const whole = [...text.matchAll(/(?:workerModule|forkModule)\(\s*new URL\(/g)];
      const unknown = modules
        .map(([, file = '']) => join(path, '..', file))
        .filter((file) => !packaged.includes(`'${file}'`))
        .map((file) => `${path}: packaging/bundle.js does not name ${file}`);
      return modules.length === whole.length ? unknown : [`${path}: use workerModule or forkModule`];
    });
  assert.deepEqual(strays, []);
});

test('of the actors, the agent uses the runtime alone', () => {
  const wrong = sources
    .filter((path) => path.startsWith('agent/'))
    .flatMap((path) =>
      importsOf(path)
        .filter(
          (specifier) => specifier.startsWith('../actors/') && !specifier.startsWith('../actors/runtime/'),
        )
        .map((specifier) => `${path} imports ${specifier}`),
    );
  assert.deepEqual(wrong, []);
});

test('one file creates XState actors', () => {
  const creators = sources.filter((path) =>
    /import[^;]*\bcreateActor\b[^;]*from 'xstate'/.test(readFileSync(join(root, 'src', path), 'utf8')),
  );
  assert.deepEqual(creators, ['actors/runtime/supervision/supervisor-life.ts']);
});

test('the actor runtime knows nothing of what runs on it', () => {
  const wrong = sources
    .filter((path) => path.startsWith('actors/runtime/'))
    .flatMap((path) =>
      importsOf(path)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => relative(join(root, 'src'), resolve(root, 'src', path, '..', specifier)))
        .filter((target) => !target.startsWith('actors/runtime/'))
        .map((target) => `${path} leans on ${target}`),
    );
  assert.deepEqual(wrong, []);
  const limits = readFileSync(join(root, 'src/actors/runtime/limits.ts'), 'utf8');
  const named = [...limits.matchAll(/export const (\w+)/g)]
    .map(([, name = '']) => name)
    .filter((name) => /check|entity|client|silence|schedule|session|circuit|delivery/i.test(name));
  assert.deepEqual(named, [], 'limits of a family stand in src/actors/families');
});

/**
 * The parts of `actors`, from the bottom up: each leans on those before it. Types count. A family that is not named here leans on
 * no other family.
 */
const anyFamily = 'any other family';
const actorLayers: readonly (readonly string[])[] = [
  ['runtime'],
  ['outcomes'],
  ['durable'],
  ['resources', 'events', 'pipelines'],
  ['families/kit', 'problems', 'platform'],
  [anyFamily],
  ['families/entity', 'families/schedule'],
  ['families/client'],
  ['families'],
  ['reach'],
  ['composition'],
];

const actorPartOf = (path: string): string => {
  const [part = '', family = '', file] = path.split('/').slice(1);
  if (part === 'compose' || family === '') return 'composition';
  return part === 'families' && file !== undefined ? `families/${family}` : part;
};

const actorRankOf = (path: string): number => {
  const part = actorPartOf(path);
  const rank = actorLayers.findIndex((layer) => layer.includes(part));
  return rank < 0 && part.startsWith('families/')
    ? actorLayers.findIndex((layer) => layer.includes(anyFamily))
    : rank;
};

test('inside `actors`, too, imports run one way', () => {
  const wrong = sources
    .filter((path) => path.startsWith('actors/'))
    .flatMap((path) => {
      if (actorRankOf(path) < 0) return [`${path} stands in no layer`];
      return importsOf(path)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => relative(join(root, 'src'), resolve(root, 'src', path, '..', specifier)))
        .filter((target) => target.startsWith('actors/') && actorPartOf(target) !== actorPartOf(path))
        .filter((target) => actorRankOf(target) >= actorRankOf(path))
        .map((target) => `${path} leans on ${target}`);
    });
  assert.deepEqual(wrong, []);
});

/** What a library keeps for itself, and the one file that may look at it. */
const internals: readonly { readonly field: RegExp; readonly file: string }[] = [
  {
    field: /\b_nodes\b|\._transitions\b|_sendInspectionEvent|\bmachine\.root\b|\.maxIterations\b/,
    file: 'actors/runtime/statechart/xstate-internals.ts',
  },
  { field: /\b_zod\.|\b_def\b/, file: 'model/schema/zod-internals.ts' },
];

test('private fields of a library are read in one file', () => {
  const wrong = internals.flatMap(({ field, file }) =>
    sources.filter((path) => path !== file && field.test(readFileSync(join(root, 'src', path), 'utf8'))),
  );
  assert.deepEqual(wrong, []);
});

test('no file leans on itself, however long the way round: every room reads from the top down', () => {
  const leans = new Map(
    sources.map((path) => [
      path,
      importsOf(path)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => relative(join(root, 'src'), resolve(root, 'src', path, '..', specifier))),
    ]),
  );
  const isSettled = new Set<string>();
  const circles: string[] = [];
  const follow = (path: string, road: readonly string[]): void => {
    if (isSettled.has(path)) return;
    const met = road.indexOf(path);
    if (met >= 0) circles.push([...road.slice(met), path].join(' -> '));
    else for (const next of leans.get(path) ?? []) follow(next, [...road, path]);
    isSettled.add(path);
  };
  for (const path of sources) follow(path, []);
  assert.deepEqual(circles, []);
});
