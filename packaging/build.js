// Builds the programs as single executables: Node with the program inside (https://nodejs.org/api/single-executable-applications.html).
// Usage: node packaging/build.js [--arch=x64,arm64] [--compress=xz|gz|none] [--out=FOLDER] [program...]   (npm run package)
//
// The same sources, tools and date give the same bytes: nothing of the machine or the moment goes into a file.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { create } from 'tar';
import { bundleProgram, bundleWorker, programs } from './bundle.js';

const root = join(import.meta.dirname, '..');
const modules = join(import.meta.dirname, 'node_modules');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** Marks where Node looks whether a program was put inside. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const natives = {
  'lmdb.node': (arch) => `@lmdb/lmdb-linux-${arch}/node.napi.glibc.node`,
  'bcrypt.node': (arch) => `@node-rs/bcrypt-linux-${arch}-gnu/bcrypt.linux-${arch}-gnu.node`,
};
const strips = { x64: ['x86_64-linux-gnu-strip', 'strip'], arm64: ['aarch64-linux-gnu-strip', 'strip'] };

const run = (file, args, options = {}) =>
  execFileSync(file, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();

/** Node of each platform and the prebuilt native modules, as packaging/package-lock.json names them. */
const installParts = () => {
  const lock = readFileSync(join(import.meta.dirname, 'package-lock.json'));
  const stamp = join(modules, '.lock-hash');
  const hash = createHash('sha256').update(lock).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  console.log('fetching Node and native modules');
  // --force: also those for other processors.
  run('npm', ['ci', '--force', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], {
    cwd: import.meta.dirname,
  });
  writeFileSync(stamp, hash);
};

const nodeOf = (arch) => join(modules, `node-linux-${arch}/bin/node`);

const nativePath = (name, arch) => {
  const path = join(modules, natives[name](arch));
  return existsSync(path) ? path : undefined;
};

/** What the program finds inside by name. */
const assetsOf = async (program, arch, work) => {
  const assets = {};
  const write = (name, content) => {
    assets[name] = join(work, name);
    writeFileSync(assets[name], content);
  };
  write('version', version);
  for (const worker of program.workers) write(worker.split('/').at(-1), await bundleWorker(worker));
  for (const name of program.native.map((native) => `${native}.node`)) {
    const path = nativePath(name, arch);
    if (path !== undefined) assets[`native/${name}`] = path;
  }
  if (program.web) {
    for (const [name, folder] of [
      ['web', join(root, 'web/dist')],
      ['handbook', join(root, 'web/handbook')],
    ]) {
      const files = filesBelow(folder);
      write(`${name}.json`, JSON.stringify(files));
      for (const file of files) assets[`${name}/${file}`] = join(folder, file);
    }
  }
  return assets;
};

/** Symbols are a sixth of Node's size, and nobody debugs with them. Without the tool they stay. */
const stripSymbols = (file, arch) => {
  for (const tool of strips[arch]) {
    try {
      execFileSync(tool, ['--strip-all', file], { stdio: 'ignore' });
      return true;
    } catch {
      // Not there, or not for this processor.
    }
  }
  console.warn(`${file}: not stripped (${strips[arch].join(', ')} can't do it)`);
  return false;
};

/** The tool that changes the executable warns of section names that strip has removed. */
const quietly = async (act) => {
  const { error, warn } = console;
  const hidden = (...words) => {
    if (!String(words[0]).includes("Can't find string offset for section name")) error(...words);
  };
  console.error = hidden;
  console.warn = hidden;
  try {
    await act();
  } finally {
    console.error = error;
    console.warn = warn;
  }
};

const buildExecutable = async (name, arch, out) => {
  const program = programs[name];
  const work = join(out, 'work', `${name}-${arch}`);
  mkdirSync(work, { recursive: true });
  writeFileSync(join(work, 'main.cjs'), await bundleProgram(program));
  const blob = join(work, 'blob');
  const config = {
    // Becomes part of the executable, so it names no folder of this machine.
    main: 'main.cjs',
    output: 'blob',
    disableExperimentalSEAWarning: true,
    useSnapshot: false,
    // Compiled code would not be the same bytes twice, and starts no faster.
    useCodeCache: false,
    execArgv: program.flags,
    assets: await assetsOf(program, arch, work),
  };
  writeFileSync(join(work, 'sea.json'), JSON.stringify(config));
  run(nodeOf(process.arch), ['--experimental-sea-config', 'sea.json'], { cwd: work });
  const file = join(out, `linux-${arch}`, name);
  mkdirSync(join(out, `linux-${arch}`), { recursive: true });
  rmSync(file, { force: true });
  copyFileSync(nodeOf(arch), file);
  chmodSync(file, 0o755);
  stripSymbols(file, arch);
  const { inject } = createRequire(import.meta.url)('postject');
  await quietly(() => inject(file, 'NODE_SEA_BLOB', readFileSync(blob), { sentinelFuse: fuse }));
  return file;
};

/** A download: the executable and its licence in one folder. */
const pack = async (file, name, arch, compress, out) => {
  const folder = `${name}-${version}-linux-${arch}`;
  const staged = join(out, 'work', folder);
  mkdirSync(staged, { recursive: true });
  copyFileSync(file, join(staged, name));
  chmodSync(join(staged, name), 0o755);
  copyFileSync(join(root, 'LICENSE'), join(staged, 'LICENSE'));
  chmodSync(join(staged, 'LICENSE'), 0o644);
  const tarball = join(out, `${folder}.tar`);
  const paths = [folder, `${folder}/LICENSE`, `${folder}/${name}`];
  await create(
    { file: tarball, cwd: join(out, 'work'), portable: true, mtime: new Date(0), noDirRecurse: true },
    paths,
  );
  const packed = `${tarball}.${compress}`;
  if (compress === 'xz') run('xz', ['--force', '-6', '--threads=1', tarball]);
  else {
    writeFileSync(packed, gzipSync(readFileSync(tarball), { level: 9 }));
    rmSync(tarball);
  }
  return packed;
};

const megabytes = (path) => `${(statSync(path).size / 1e6).toFixed(1)} MB`;

const main = async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      arch: { type: 'string', default: process.arch },
      compress: { type: 'string', default: 'xz' },
      out: { type: 'string', default: join(root, 'dist/packages') },
    },
  });
  const names = positionals.length === 0 ? Object.keys(programs) : positionals;
  const unknown = names.find((name) => programs[name] === undefined);
  if (unknown !== undefined)
    throw new Error(`no program ${unknown}; there are ${Object.keys(programs).join(', ')}`);
  installParts();
  const made = [];
  for (const arch of values.arch.split(',')) {
    for (const name of names) {
      const missing = programs[name].native.filter((native) => !nativePath(`${native}.node`, arch));
      if (name === 'mon-backend' && missing.length > 0) {
        console.warn(`mon-backend for ${arch} is not built: no prebuilt ${missing.join(', ')} for it`);
        continue;
      }
      const file = await buildExecutable(name, arch, values.out);
      console.log(`${file} ${megabytes(file)}`);
      if (values.compress === 'none') continue;
      const packed = await pack(file, name, arch, values.compress, values.out);
      console.log(`${packed} ${megabytes(packed)}`);
      made.push(packed);
    }
  }
  const sums = made.map((path) => {
    const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
    return `${hash}  ${relative(values.out, path)}\n`;
  });
  if (sums.length > 0) writeFileSync(join(values.out, 'SHA256SUMS'), sums.join(''));
  rmSync(join(values.out, 'work'), { recursive: true, force: true });
};

await main();
