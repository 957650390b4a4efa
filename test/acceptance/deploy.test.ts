// What is in deploy/ names things of the programs: metrics, flags and routes. They all exist.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { agentFlags } from '../../src/agent/flags.ts';
import { backendFlags } from '../../src/main/backend-flags.ts';
import { environmentName } from '../../src/program/resolve.ts';
import { startBackend, tempDir } from './programs.ts';

const read = (path: string): string => readFileSync(path, 'utf8');

/** The names of metrics in queries: words of ours, less what Prometheus adds to a histogram. */
const metricsIn = (text: string): Set<string> =>
  new Set(
    [...text.matchAll(/\b(?:mon|process|nodejs)_[a-z0-9_]+/g)].map(([name]) =>
      name.replace(/_(?:bucket|sum|count)$/, ''),
    ),
  );

test('every metric of the alerts and of the dashboard is one the backend shows', () =>
  tempDir(async (dir) => {
    const backend = await startBackend(dir);
    try {
      const shown = await (await fetch(`${backend.api}/metrics`)).text();
      const known = new Set([...shown.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
      for (const file of ['deploy/prometheus/alerts.yml', 'deploy/grafana/mon.json']) {
        const used = metricsIn(read(file));
        assert.ok(used.size > 5, file);
        assert.deepEqual(
          [...used].filter((name) => !known.has(name)),
          [],
          file,
        );
        for (const [series] of read(file).matchAll(/queue=\\?"\w+/g))
          assert.ok(shown.includes(series.replace('\\', '')), `${file}: ${series}`);
      }
      const listed = read('docs/metrics.md');
      assert.deepEqual(
        [...known].filter((name) => !listed.includes(`| \`${name}\` |`)),
        [],
        'docs/metrics.md lists what a backend shows',
      );
      for (const path of ['/health', '/ready'])
        assert.equal((await fetch(`${backend.api}${path}`)).status, 200, path);
    } finally {
      await backend.program.kill();
    }
  }));

test('every variable of the manifests is one a program reads', () => {
  const known = new Set([
    ...Object.keys(agentFlags).map((flag) => environmentName('MON_', flag)),
    ...Object.keys(backendFlags).map((flag) => environmentName('MON_BACKEND_', flag)),
  ]);
  for (const file of ['deploy/compose.yml', 'deploy/kubernetes/agent.yml', 'deploy/kubernetes/backend.yml']) {
    const used = [...read(file).matchAll(/\bMON_[A-Z_]+/g)].map(([name]) => name);
    assert.deepEqual(
      used.filter((name) => !known.has(name)),
      [],
      file,
    );
    for (const document of parseAllDocuments(read(file))) assert.deepEqual(document.errors, [], file);
  }
});

test('the examples of settings hold only settings', () => {
  for (const [file, flags] of [
    ['packaging/linux/agent.yml.example', agentFlags],
    ['packaging/linux/backend.yml.example', backendFlags],
  ] as const) {
    const keys = [...read(file).matchAll(/^#([a-z-]+):/gm)].map(([, key]) => key ?? '');
    assert.ok(keys.length > 3, file);
    assert.deepEqual(
      keys.filter((key) => !(key in flags)),
      [],
      file,
    );
  }
});

test('systemd stops the programs alone: a handler or check that it ended would count as failed', () => {
  for (const name of ['mon-agent', 'mon-backend'])
    assert.match(read(`packaging/linux/${name}.service`), /^KillMode=mixed$/m, name);
});

test('what is packaged is what is tested: versions of native modules are the same', () => {
  const packaged = JSON.parse(read('packaging/package.json')).dependencies as Record<string, string>;
  const tested = JSON.parse(read('package-lock.json')).packages as Record<string, { version: string }>;
  for (const [name, version] of Object.entries(packaged).filter(([name]) => name.startsWith('@')))
    assert.equal(version, tested[`node_modules/${name}`]?.version, name);
});
