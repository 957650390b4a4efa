// Bundles: a program as one CommonJS script, and its worker threads as one module each, with everything they import. What
// a script in an executable can't load by path is replaced: native modules by copies inside it, WebAssembly by its bytes.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const root = join(import.meta.dirname, '..');
const require = createRequire(import.meta.url);

const dist = (path) => JSON.stringify(join(root, 'dist/src', path));
/** A program that can be several things is told which by the name of a module. */
const startOf = (main, forks) => `
${forks.map((path) => `if (process.argv[2] === ${JSON.stringify(path.split('/').at(-1))}) import(${dist(path)}); else`).join('\n')}
import(${dist(main)}).then(({ main }) => main(process.argv));
`;

/**
 * For programs that are idle most of the time: a small heap; no optimized code for functions that run only a few hundred times,
 * so that the pages of the optimizing compiler stay on the disk; and compiled code that was not used between two collections
 * of garbage goes, which is most of what only the start needs.
 */
const smallFlags = [
  '--max-semi-space-size=1',
  '--optimize-for-size',
  '--invocation-count-for-maglev=4000',
  '--bytecode-old-age=1',
];

/** Programs, with what Node is told before it runs them. */
export const programs = {
  'mon-agent': {
    main: 'main/agent.js',
    workers: ['assets/unpack-worker.js', 'assets/filter-worker.js'],
    forks: [],
    flags: smallFlags,
    native: [],
    web: false,
  },
  'mon-ctl': {
    main: 'main/ctl.js',
    workers: [],
    forks: [],
    flags: [],
    native: ['bcrypt'],
    web: false,
  },
  'mon-client': {
    main: 'main/client.js',
    workers: [],
    forks: [],
    flags: smallFlags,
    native: [],
    web: false,
  },
  'mon-backend': {
    main: 'main/backend.js',
    workers: ['assets/unpack-worker.js', 'assets/filter-worker.js', 'pipeline/sandbox/sandbox-worker.js'],
    forks: ['pipeline/commands/helper-process.js'],
    flags: ['--max-semi-space-size=64'],
    native: ['bcrypt', 'lmdb'],
    web: true,
  },
};

/** The system loads native code from files only: one that only this user reads is made for the moment of loading. */
const nativeLoader = `
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRawAsset } from 'node:sea';
export const loadNative = (name) => {
  const failures = [];
  const folders = [process.env.CACHE_DIRECTORY?.split(':')[0], tmpdir(), '/dev/shm', '/var/tmp'];
  for (const folder of new Set(folders.filter((path) => path !== undefined))) {
    let own;
    try {
      own = mkdtempSync(join(folder, 'mon-native-'));
      const file = join(own, name);
      writeFileSync(file, Buffer.from(getRawAsset('native/' + name)), { mode: 0o700 });
      const loaded = { exports: {} };
      process.dlopen(loaded, file);
      return loaded.exports;
    } catch (error) {
      failures.push(folder + ': ' + error.message);
    } finally {
      if (own !== undefined) rmSync(own, { recursive: true, force: true });
    }
  }
  console.error('mon can not load ' + name + ': set TMPDIR to a folder from which programs may be run. Tried:\\n  ' + failures.join('\\n  '));
  process.exit(1);
};
`;

const virtualModules = {
  'virtual:native': () => nativeLoader,
  'virtual:lmdb': () => `
import { loadNative } from 'virtual:native';
export default () => loadNative('lmdb.node');
`,
  'virtual:bcrypt': () => `
const { loadNative } = require('virtual:native');
module.exports = loadNative('bcrypt.node');
`,
  // The interpreter's bytes are part of the module.
  'virtual:quickjs': () => `
import base from 'quickjs-file:';
import { newVariant } from 'quickjs-emscripten-core';
const bytes = Buffer.from(${JSON.stringify(readFileSync(require.resolve('@jitl/quickjs-wasmfile-release-sync/wasm')).toString('base64'))}, 'base64');
export default newVariant(base, { wasmBinary: bytes });
`,
};

const replacePlugin = {
  name: 'what-travels-inside',
  resolveId(source, importer) {
    if (source in virtualModules) return `\0${source}`;
    // These make functions from the text of others: as CommonJS each keeps a scope, and so the names, of its own.
    if (source === 'lmdb') return join(root, 'node_modules/lmdb/dist/index.cjs');
    if (source === 'ordered-binary') return join(root, 'node_modules/ordered-binary/dist/index.cjs');
    if (source === 'node-gyp-build-optional-packages') return '\0virtual:lmdb';
    if (source === './binding' && importer?.includes('@node-rs/bcrypt')) return '\0virtual:bcrypt';
    if (source === '@jitl/quickjs-wasmfile-release-sync') return '\0virtual:quickjs';
    if (source === 'quickjs-file:')
      return join(root, 'node_modules/@jitl/quickjs-wasmfile-release-sync/dist/index.mjs');
    // Used when it is there; without it the same is done in JavaScript.
    if (source === 'msgpackr-extract') return '\0virtual:none';
    return undefined;
  },
  load(id) {
    if (id === '\0virtual:none') return 'throw new Error("not in this executable");';
    return virtualModules[id.slice(1)]?.();
  },
};

const entryPlugin = (code) => ({
  name: 'entry',
  resolveId: (source) => (source === 'virtual:entry' ? '\0virtual:entry' : undefined),
  load: (id) => (id === '\0virtual:entry' ? code : undefined),
});

/** V8 keeps a script with one character outside Latin-1 in two bytes a character. */
const inAscii = (code) =>
  code.replace(/(?<!\\)[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const bundle = async (input, plugins, format) => {
  const bundled = await rolldown({
    input,
    cwd: root,
    platform: 'node',
    plugins: [...plugins, replacePlugin],
    // Optional parts of drivers that are not installed: they are asked for, and the answer is no.
    external:
      /^(?:aws4|gcp-metadata|kerberos|mongodb-client-encryption|snappy|socks|@mongodb-js\/zstd|@aws-sdk\/.*)$/,
    logLevel: 'silent',
  });
  const { output } = await bundled.generate({
    format,
    codeSplitting: false,
    // White space only: libraries that make functions from the text of others rely on the names of variables.
    minify: { compress: false, mangle: false, codegen: true },
    comments: false,
  });
  await bundled.close();
  if (output.length !== 1) throw new Error(`${input} became ${output.length} files instead of one`);
  return inAscii(output[0].code);
};

/** The script of a program. */
export const bundleProgram = ({ main, forks }) =>
  bundle('virtual:entry', [entryPlugin(startOf(main, forks))], 'cjs');

/** The module of a worker thread. */
export const bundleWorker = (path) => bundle(join(root, 'dist/src', path), [], 'esm');
