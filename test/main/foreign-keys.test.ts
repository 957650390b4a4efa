// A backend.yml of the reference product: what means nothing here is said, each with what to do instead.
import assert from 'node:assert/strict';
import test from 'node:test';
import { backendFlags } from '../../src/main/backend-flags.ts';
import { foreignBackendKeys } from '../../src/main/foreign-keys.ts';
import { resolveSettings } from '../../src/program/resolve.ts';

test('keys of a foreign file are reported one by one, with advice', () => {
  const file = [
    'state-dir: /srv/mon',
    'etcd-name: a',
    'no-embed-etcd: true',
    'dashboard-port: 3000',
    'dashboard: {host: "::"}',
    'jwt-private-key-file: x',
    'agent: {port: 9081}',
    'bogus: 1',
  ].join('\n');
  const { settings, warnings } = resolveSettings(
    {
      name: 'mon-backend',
      environmentPrefix: 'MON_BACKEND_',
      flags: backendFlags,
      foreignKeys: foreignBackendKeys,
    },
    { flags: { 'config-file': ['backend.yml'] }, environment: {}, readFile: () => file },
  );
  assert.deepEqual([settings.stateDir, settings.agentPort], ['/srv/mon', 9081]);
  const wanted = [
    [/etcd-name /, /state-dir or store-url/],
    [/no-embed-etcd /, /state-dir or store-url/],
    [/dashboard-port /, /serves the dashboard under \/ui\//],
    [/dashboard\.host /, /serves the dashboard under \/ui\//],
    [/jwt-private-key-file /, /creates and stores its token signing key itself/],
    [/bogus /, /run mon-backend start --help for the list of keys/],
  ] as const;
  assert.equal(warnings.length, wanted.length);
  for (const [index, [key, advice]] of wanted.entries()) {
    assert.match(warnings[index] ?? '', key);
    assert.match(warnings[index] ?? '', advice);
  }
});
