// What the flags of a cluster are checked for before anything connects: each mistake says what to do.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backendProgram } from '../../../src/main/backend-flags.ts';
import { clusterSettings } from '../../../src/main/cluster/cluster-settings.ts';
import { resolveSettings } from '../../../src/program/resolve.ts';

const store = { 'store-url': 'mongodb://db/mon' };
const bus = { 'bus-url': ['nats://n1:4222'] };
const preview = { MON_BACKEND_PREVIEW: 'cluster' };

type Flags = Readonly<Record<string, string | readonly string[]>>;
/** As they come from the command line. */
const listed = (flags: Flags) =>
  Object.fromEntries(Object.entries(flags).map(([flag, value]) => [flag, [value].flat()]));

const of = (given: Flags, env: Record<string, string> = preview) =>
  clusterSettings(
    resolveSettings(backendProgram, { flags: listed(given), environment: {}, readFile: () => '' }).settings,
    env,
  );

test('without a bus there is no cluster', () => {
  assert.equal(of({}), undefined);
  assert.equal(of(store), undefined);
});

test('servers may be given one by one or in one list; the name is that of the host unless it is given', () => {
  const given = of({ ...store, 'bus-url': ['nats://n1:4222 nats://n2:4222', 'tls://n3:4222'], name: 'b1' });
  assert.deepEqual(given?.nats.urls, ['nats://n1:4222', 'nats://n2:4222', 'tls://n3:4222']);
  assert.equal(given?.name, 'b1');
  assert.equal(given?.subjects.ask('b1'), 'mon.mon.ask.b1');
  assert.match(of({ ...store, ...bus })?.name ?? '', /^[A-Za-z0-9_-]{1,64}$/);
});

const mistakes: readonly [string, Flags, RegExp, Record<string, string>?][] = [
  ['a bus without MongoDB', bus, /share a MongoDB database: give all of them the same --store-url/],
  ['a name with a dot', { ...store, ...bus, name: 'b1.example.org' }, /--name must be 1 to 64 letters/],
  [
    'a cluster name with a space',
    { ...store, ...bus, 'cluster-name': 'a b' },
    /--cluster-name must be 1 to 64/,
  ],
  [
    'files for no bus',
    { ...store, 'bus-ca-file': 'ca.pem' },
    /--bus-ca-file is for the servers of --bus-url/,
  ],
  [
    'the earlier API',
    { ...store, ...bus, 'earlier-api-port': '4567' },
    /cannot be used together with --bus-url/,
  ],
  ['no consent to a preview', { ...store, ...bus }, /is a preview.*set MON_BACKEND_PREVIEW=cluster/, {}],
];

for (const [what, flags, message, env] of mistakes)
  test(`refused: ${what}`, () => {
    assert.throws(() => of(flags, env), { name: 'SettingsError', message });
  });
