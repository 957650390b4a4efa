// Plants small faults in the programs and names those that no test notices: `npm run mutate -- WORD...`.
// One fault at a time is put into dist/, next to the source it stands for, and the tests of its room that import the file, near
// ones first, run until one fails. A fault that all of them pass is a survivor: it is printed with its place and its diff.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { transformSync } from 'rolldown/utils';
import { mutationsOf, planted } from './mutations.js';

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');
const backupFile = join(dist, '.mutated.json');

const usage = `npm run mutate -- WORD... [--count N] [--seed N] [--tests WORD,WORD] [--files N]
  WORD        source files whose path below src/ contains one of the words
  --count N   faults to plant (default 20)
  --seed N    which ones; a seed that was printed repeats a run (default: random)
  --tests     test files whose path contains one of these words, instead of the room's
  --files N   at most so many test files for each fault, the nearest ones (default 6)`;

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));

/** mulberry32: the same numbers for the same seed. */
const randomOf = (seed) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

const importsOf = (path) =>
  [...readFileSync(path, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
    .map(([, specifier]) => resolve(dirname(path), specifier))
    .filter((target) => existsSync(target));

const importsByFile = new Map();
const knownImports = (path) => {
  if (!importsByFile.has(path)) importsByFile.set(path, importsOf(path));
  return importsByFile.get(path);
};

/** How many imports lie between a test and a source file; undefined when it does not import it. */
const distance = (test, source) => {
  const seen = new Set([test]);
  for (let layer = [test], steps = 1; layer.length > 0; steps += 1) {
    const next = new Set(layer.flatMap(knownImports).filter((path) => !seen.has(path)));
    if (next.has(source)) return steps;
    for (const path of next) seen.add(path);
    layer = [...next];
  }
  return undefined;
};

/** Tests of the room, the nearest first; those named after the file are the nearest of all. */
const testsOf = (source, words, most) => {
  const room = relative(join(root, 'src'), source).split('/')[0];
  const isWanted = (path) =>
    words === undefined ? path.startsWith(`${room}/`) : words.some((word) => path.includes(word));
  return filesBelow(join(root, 'test'))
    .filter((path) => path.endsWith('.test.ts') && isWanted(path))
    .map((path) => {
      const steps = distance(join(root, 'test', path), source);
      return { path, steps: basename(path).startsWith(basename(source, '.ts')) ? 0 : steps };
    })
    .filter(({ steps }) => steps !== undefined)
    .sort((one, other) => one.steps - other.steps)
    .slice(0, most)
    .map(({ path }) => join(dist, 'test', path.replace(/\.ts$/, '.js')));
};

let running;
/** True when the tests pass. */
const passes = (tests, timeoutMs) =>
  new Promise((done) => {
    // A process group of its own: what a test leaves behind ends with it.
    running = spawn(process.execPath, ['--test', '--test-concurrency=1', ...tests], {
      cwd: root,
      stdio: 'ignore',
      detached: true,
    });
    const timer = setTimeout(endTests, timeoutMs);
    running.once('exit', (code) => {
      clearTimeout(timer);
      endTests();
      running = undefined;
      done(code === 0);
    });
  });

const endTests = () => {
  try {
    if (running?.pid !== undefined) process.kill(-running.pid, 'SIGKILL');
  } catch {
    // They have ended.
  }
};

const outputOf = (source) => join(dist, 'src', relative(join(root, 'src'), source)).replace(/\.ts$/, '.js');

const compiled = (source, text) => {
  const { code, errors } = transformSync(source, text, {
    lang: 'ts',
    sourceType: 'module',
    target: 'es2023',
  });
  if (errors.length > 0) throw new Error(`${source}: ${errors[0].message}`);
  return code.replaceAll(/((?:from|import|import\()\s*['"]\.[^'"]*)\.tsx?(['"])/g, '$1.js$2');
};

const plant = (source, text) => {
  const file = outputOf(source);
  writeFileSync(backupFile, JSON.stringify({ file, text: readFileSync(file, 'utf8') }));
  writeFileSync(file, compiled(source, text));
};

/** Puts back what a fault stood in, also one that an earlier run left behind. */
const restore = () => {
  if (!existsSync(backupFile)) return;
  const { file, text } = JSON.parse(readFileSync(backupFile, 'utf8'));
  writeFileSync(file, text);
  rmSync(backupFile);
};

const diffOf = (text, mutation) => {
  const first = text.lastIndexOf('\n', mutation.start - 1) + 1;
  const end = text.indexOf('\n', mutation.end);
  const mutated = planted(text, mutation);
  const mutatedEnd = mutated.indexOf('\n', mutation.start + mutation.put.length);
  const lines = (part, mark) => part.split('\n').map((line) => `    ${mark} ${line.trim()}`);
  return [...lines(text.slice(first, end), '-'), ...lines(mutated.slice(first, mutatedEnd), '+')].join('\n');
};

const sample = (all, count, random) => {
  const rest = [...all];
  return Array.from(
    { length: Math.min(count, rest.length) },
    () => rest.splice(Math.floor(random() * rest.length), 1)[0],
  );
};

const whole = (text, flag) => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new Error(`${flag} must be a whole number (got ${text})`);
  return value;
};

const main = async () => {
  const { positionals: words, values } = parseArgs({
    allowPositionals: true,
    options: {
      count: { type: 'string', default: '20' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
      files: { type: 'string', default: '6' },
      tests: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help || words.length === 0) return void console.log(usage);
  restore();
  const [count, seed, most] = ['count', 'seed', 'files'].map((flag) => whole(values[flag], `--${flag}`));
  const sources = filesBelow(join(root, 'src'))
    .filter((path) => path.endsWith('.ts') && words.some((word) => path.includes(word)))
    .map((path) => join(root, 'src', path))
    .filter((path) => existsSync(outputOf(path)));
  const all = sources.flatMap((source) => {
    const text = readFileSync(source, 'utf8');
    return mutationsOf(source, text).map((mutation) => ({ source, text, mutation }));
  });
  if (all.length === 0)
    throw new Error(`nothing to change in files below src/ that match: ${words.join(' ')}`);
  console.log(
    `seed ${seed}: ${Math.min(count, all.length)} of ${all.length} faults in ${sources.length} files`,
  );

  const baselines = new Map();
  const counts = { noticed: 0, survived: 0, untested: 0 };
  for (const { source, text, mutation } of sample(all, count, randomOf(seed))) {
    const place = `${relative(root, source)}:${mutation.line}`;
    const tests = testsOf(source, values.tests?.split(','), most);
    if (tests.length === 0) {
      counts.untested += 1;
      console.log(
        `untested  ${place}  ${mutation.what}: no test of the room imports this file (--tests names others)`,
      );
      continue;
    }
    const key = tests.join();
    if (!baselines.has(key)) {
      const startedMs = performance.now();
      const isGreen = await passes(tests, 600_000);
      if (!isGreen)
        throw new Error(`fails without any fault: ${tests.map((path) => relative(dist, path)).join(' ')}`);
      baselines.set(key, performance.now() - startedMs);
    }
    plant(source, planted(text, mutation));
    const survived = await passes(tests, baselines.get(key) * 4 + 20_000);
    restore();
    counts[survived ? 'survived' : 'noticed'] += 1;
    console.log(`${survived ? 'SURVIVED' : 'noticed '}  ${place}  ${mutation.what}`);
    if (survived) console.log(diffOf(text, mutation));
  }
  console.log(
    `\n${counts.noticed} noticed, ${counts.survived} survived, ${counts.untested} untested (seed ${seed})`,
  );
};

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    endTests();
    restore();
    process.exit(130);
  });
try {
  await main();
} catch (error) {
  console.error(`mutate: ${error.message}`);
  process.exitCode = 1;
} finally {
  restore();
}
