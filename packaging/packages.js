// Makes .deb and .rpm files of executables that were built (`npm run package`), with nfpm (a Go program: `go install
// github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.0`), and a list of what is inside (SBOM, CycloneDX).
// Usage: node packaging/packages.js [--nfpm=PATH] [--arch=x64,arm64] [--formats=deb,rpm] [--maintainer='NAME <MAIL>'] [--out=FOLDER]
// --maintainer names who makes and answers for these packages: a distributor names themselves.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { stringify } from 'yaml';
import { starterChecks, starterHandler } from '../dist/src/main/starter-checks.js';
import { manPage } from './man-page.js';
import { describe, packages } from './nfpm.js';
import { sbom } from './sbom.js';

const root = join(import.meta.dirname, '..');
const project = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { version } = project;
const shells = ['bash', 'zsh', 'fish'];
const alertsFile = '/var/lib/mon/mon-backend/alerts.log';

const { values } = parseArgs({
  options: {
    nfpm: { type: 'string', default: 'nfpm' },
    arch: { type: 'string', default: process.arch },
    formats: { type: 'string', default: 'deb,rpm' },
    maintainer: { type: 'string', default: project.author },
    out: { type: 'string', default: join(root, 'dist/packages') },
  },
});
const { out } = values;
const work = join(out, 'work');

/** The date of the version, so that the same sources give the same bytes. */
const date = () => {
  const given = process.env.SOURCE_DATE_EPOCH;
  const seconds =
    given ?? execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' });
  return new Date(Number(seconds) * 1_000).toISOString();
};

const help = (program, args) =>
  execFileSync(process.execPath, [join(root, 'bin', `${program}.js`), ...args], { encoding: 'utf8' });

const write = (name, content) => {
  const path = join(work, name);
  writeFileSync(path, content);
  return path;
};

/** The checks that `npm start` begins with, for `mon-ctl create -f`. */
const starters = () => {
  const wrap = (type, { metadata, ...spec }) => stringify({ type, api_version: 'core/v2', metadata, spec });
  const documents = [
    wrap('Handler', starterHandler(alertsFile)),
    ...starterChecks.map((check) => wrap('CheckConfig', check)),
  ];
  return documents.join('---\n');
};

const parts = (arch, built) => ({
  date: built,
  executable: (program) => join(out, `linux-${arch}`, program),
  license: join(root, 'LICENSE'),
  manPage: (program) => {
    const subcommands = program === 'mon-ctl' ? [] : [['start']];
    const sections = [[], ...subcommands].map((words) => [words, help(program, [...words, '--help'])]);
    return write(`${program}.1.gz`, gzipSync(manPage(program, version, built.slice(0, 10), sections)));
  },
  completions: Object.fromEntries(
    shells.map((shell) => [shell, write(`mon-ctl.${shell}`, help('mon-ctl', ['completion', shell]))]),
  ),
  starters: write('starter-checks.yml', starters()),
  script: (script, name) =>
    write(
      `${name}-${script}.sh`,
      readFileSync(join(import.meta.dirname, 'linux', `${script}.sh`), 'utf8').replaceAll('@NAME@', name),
    ),
});

const writeSums = () => {
  const names = readdirSync(out).filter((name) => /\.(?:deb|rpm|gz|xz|json|tgz)$/.test(name));
  const sum = (name) =>
    createHash('sha256')
      .update(readFileSync(join(out, name)))
      .digest('hex');
  writeFileSync(
    join(out, 'SHA256SUMS'),
    names
      .sort()
      .map((name) => `${sum(name)}  ${name}\n`)
      .join(''),
  );
};

mkdirSync(work, { recursive: true });
const built = date();
const env = { ...process.env, SOURCE_DATE_EPOCH: String(Date.parse(built) / 1_000) };
for (const arch of values.arch.split(',')) {
  const made = parts(arch, built);
  for (const name of Object.keys(packages)) {
    const { program = name } = packages[name];
    if (!existsSync(made.executable(program))) {
      console.warn(`${name} for ${arch} is not made: build ${program} first (npm run package)`);
      continue;
    }
    const config = write(
      `${name}.json`,
      JSON.stringify(describe(name, arch, project, values.maintainer, made)),
    );
    for (const format of values.formats.split(','))
      execFileSync(values.nfpm, ['package', '--config', config, '--packager', format, '--target', out], {
        stdio: ['ignore', 'inherit', 'inherit'],
        env,
      });
  }
}
writeFileSync(join(out, `mon-${version}.cdx.json`), `${JSON.stringify(sbom(built), null, 2)}\n`);
writeSums();
rmSync(work, { recursive: true, force: true });
