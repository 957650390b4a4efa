// Runs the compiled tests with node:test and ends with one plain line: `N passed, N failed, N skipped`.
// Usage: node scripts/test.js [words...]   only test files whose path holds one of the words
import { existsSync, readdirSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../dist/test', import.meta.url));
const sources = fileURLToPath(new URL('../test', import.meta.url));
const words = process.argv.slice(2);

const walk = (dir) =>
  readdirSync(dir).flatMap((name) => {
    const path = join(dir, name);
    return statSync(path).isDirectory() ? walk(path) : [path];
  });

// The compiler leaves the output of files that were moved or removed; it is not run.
const hasSource = (path) => existsSync(sources + path.slice(root.length).replace(/\.js$/, '.ts'));

const files = walk(root)
  .filter((path) => path.endsWith('.test.js') && hasSource(path))
  .filter((path) => words.length === 0 || words.some((word) => path.slice(root.length).includes(word)))
  .sort();

if (files.length === 0) {
  console.error(`no test file below dist/test matches: ${words.join(' ')}`);
  process.exit(1);
}

/** A file that hangs ends here, so that the other results are still reported within the gate's time. */
const fileTimeoutMs = 12 * 60_000;
const counts = { passed: 0, failed: 0, skipped: 0 };
const isLeaf = (data) => data.details.type !== 'suite' && !files.includes(data.name);
/** Many tests wait for programs and timers, so one more than there are cores keeps these busy. */
const concurrency = Math.min(availableParallelism() + 1, 4);
const tests = run({ files, concurrency, timeout: fileTimeoutMs, execArgv: ['--enable-source-maps'] });
tests.on('test:pass', (data) => {
  if (!isLeaf(data)) return;
  if (data.skip !== undefined || data.todo !== undefined) counts.skipped += 1;
  else counts.passed += 1;
});
// A file that fails without a failing test inside it (an import that throws) counts as one failure.
tests.on('test:fail', (data) => {
  if (isLeaf(data) || data.details.error?.code === 'ERR_TEST_FAILURE') counts.failed += 1;
});
tests.compose(new spec()).pipe(process.stdout);
tests.on('end', () => {
  process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;
  setImmediate(() =>
    console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`),
  );
});
