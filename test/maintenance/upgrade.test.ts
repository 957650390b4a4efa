// A store of every format that was ever written is opened, checked, upgraded, and served from: at rest and while a backend
// runs on it, in LMDB and in MongoDB.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { createVault } from '../../src/actors/resources/vault.ts';
import { checkVersion } from '../../src/machines/check/check-machine.ts';
import { entityVersion } from '../../src/machines/entity/entity-machine.ts';
import { readEncryptionKeys } from '../../src/main/encryption-keys.ts';
import { checkStore } from '../../src/main/maintenance/check-store.ts';
import { askControl } from '../../src/main/maintenance/control-client.ts';
import { type UpgradeStep, upgrade } from '../../src/main/maintenance/upgrade.ts';
import { storeAtRest } from '../../src/main/maintenance/upgrade-targets.ts';
import type { Event } from '../../src/model/event/event.ts';
import { storeFormat } from '../../src/store/format-marker.ts';
import type { MaintainedStore } from '../../src/store/maintained-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { recordKinds, type StoredRecord } from '../../src/store/snapshot-store.ts';
import { ApiClient, inDefault, startBackend, tempDir } from '../acceptance/programs.ts';
import { startStandIn } from '../store/mongodb-server.ts';
import { collect, onOwnershipLost } from '../store/records.ts';
import { runCommand } from './commands.ts';
import { type FixtureFormat, fixtureFormats, loadMongodb, unpackLmdb } from './fixtures.ts';

const server = await startStandIn();
test.after(() => server.stop());
let databases = 0;

interface Place {
  readonly stateDir: string;
  readonly url: string;
}

/** Runs a test on the fixture as LMDB, and as MongoDB. */
const onBoth = (name: string, fixture: FixtureFormat, run: (place: Place) => Promise<void>): void => {
  test(`format ${fixture.format}, LMDB: ${name}`, () =>
    tempDir(async (dir) => {
      const stateDir = join(dir, 'state');
      unpackLmdb(fixture, stateDir);
      await run({ stateDir, url: '' });
    }));
  test(`format ${fixture.format}, MongoDB: ${name}`, () =>
    tempDir(async (dir) => {
      databases += 1;
      const place = { stateDir: join(dir, 'state'), url: `${server.url}/upgrade_${databases}` };
      await loadMongodb(fixture, place.url, place.stateDir);
      await run(place);
    }));
};

const withStore = async <T>(
  { stateDir, url }: Place,
  work: (store: MaintainedStore) => Promise<T>,
): Promise<T> => {
  const store = await openStore({ stateDir, url, onOwnershipLost });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
};

const recordsOf = async (store: MaintainedStore): Promise<Map<string, StoredRecord>> => {
  const all = new Map<string, StoredRecord>();
  for (const kind of recordKinds)
    for (const { key, record } of await collect(store.scan(kind))) all.set(`${kind} ${key}`, record);
  return all;
};

interface OldOrNew {
  readonly context: {
    readonly deliverySeries?: number;
    readonly pending: readonly { readonly seq: number; readonly event?: Event }[];
  };
}

/** Of every delivery that checks name, what is to be told: wherever its event is kept. */
const outputsIn = (records: ReadonlyMap<string, StoredRecord>): readonly string[] =>
  [...records].flatMap(([name, { state }]) => {
    if (!name.startsWith('check ')) return [];
    const key = name.slice('check '.length);
    const { deliverySeries, pending } = (state as OldOrNew).context;
    return pending.map(({ seq, event }) => {
      const apart = records.get(`delivery ${key}/${deliverySeries}-${seq}`)?.state as
        | { event: Event }
        | undefined;
      const told = event ?? apart?.event;
      assert.ok(told !== undefined, `${name} names ${seq}, which is nowhere`);
      return `${key} ${seq} ${told.check?.status} ${told.check?.occurrences}`;
    });
  });

const versions: readonly (readonly [string, number])[] = [
  ['entity ', entityVersion],
  ['check ', checkVersion],
];

const verifyVersions = (records: ReadonlyMap<string, StoredRecord>): void => {
  for (const [name, { version }] of records)
    for (const [prefix, newest] of versions) if (name.startsWith(prefix)) assert.equal(version, newest, name);
};

const badIn = async (store: MaintainedStore, stateDir: string) => {
  const vault = createVault(readEncryptionKeys(join(stateDir, 'encryption-key')));
  return (await collect(checkStore(store, vault))).filter(({ type }) => type === 'bad');
};

const storeFlags = ({ stateDir, url }: Place): string[] => [
  ...['--state-dir', stateDir],
  ...(url === '' ? [] : ['--store-url', url]),
];

const last = async (steps: AsyncIterable<UpgradeStep>) => (await collect(steps)).at(-1);

test('there is a fixture of every format up to the one of now', () => {
  const formats = fixtureFormats.map(({ format }) => format);
  assert.deepEqual(
    formats,
    Array.from({ length: storeFormat }, (_, at) => at + 1),
    'run test/maintenance/make-store-fixture.ts before the format changes',
  );
});

for (const fixture of fixtureFormats) {
  onBoth('every record is good, before the upgrade and after it', fixture, async (place) => {
    await withStore(place, async (store) => {
      assert.equal(store.marker.migrated, fixture.format);
      assert.equal(store.marker.format, storeFormat, 'older programs must not open it from now on');
      assert.deepEqual(await badIn(store, place.stateDir), []);
      const before = await recordsOf(store);
      assert.deepEqual(
        new Set([...before.keys()].map((name) => name.split(' ')[0])),
        new Set(
          recordKinds.filter((kind) => kind !== 'silence' && (kind !== 'delivery' || fixture.format >= 4)),
        ),
        'it has every kind of record',
      );
      const done = await last(upgrade(storeAtRest(store)));
      assert.ok(done?.type === 'done' && done.to === storeFormat);
      assert.equal(store.marker.migrated, storeFormat);
      const after = await recordsOf(store);
      const added = [...after.keys()].filter((name) => !before.has(name));
      assert.ok([...before.keys()].every((name) => after.has(name)));
      assert.ok(added.every((name) => name.startsWith('delivery ')));
      assert.deepEqual(outputsIn(after), outputsIn(before), 'what is to be delivered');
      assert.equal(outputsIn(after).length, 3);
      verifyVersions(after);
      assert.deepEqual(await badIn(store, place.stateDir), []);
      assert.deepEqual(store.quarantined(), []);
    });
  });

  onBoth('a backend serves from it, and upgrades it while it does', fixture, async (place) => {
    const flags = place.url === '' ? [] : ['--store-url', place.url];
    const run = () => runCommand('mon-backend', ['upgrade', '--skip-confirm', ...storeFlags(place)]);
    const backend = await startBackend(place.stateDir, flags);
    try {
      const isOld = fixture.format < storeFormat;
      const first = await run();
      assert.equal(first.code, 0, first.text);
      assert.match(
        first.text,
        isOld ? new RegExp(`upgraded from format ${fixture.format} to`) : /Nothing to upgrade/,
      );
      const again = await run();
      assert.equal(again.code, 0, again.text);
      assert.match(again.text, /Nothing to upgrade: .* already has format \d+/);
      const api = await ApiClient.login(backend.api);
      const names = (await api.get<{ metadata: { name: string } }[]>(inDefault('entities'))).map(
        ({ metadata }) => metadata.name,
      );
      assert.deepEqual(names, ['held', 'host-1', 'meter', 'old-switch', 'quiet', 'router', 'waiting']);
      const checked = await runCommand('mon-backend', ['check-store', ...storeFlags(place)]);
      assert.equal(checked.code, 0, checked.text);
      assert.match(checked.text, /7 entity.*bad: 0/);
    } finally {
      await backend.program.kill('SIGKILL');
    }
    await withStore(place, async (store) => {
      assert.equal(store.marker.migrated, storeFormat);
      const after = await recordsOf(store);
      verifyVersions(after);
      assert.equal(outputsIn(after).length, 3, 'what is to be delivered');
    });
  });
}

const [oldest] = fixtureFormats;
assert.ok(oldest !== undefined);

onBoth(
  'a check whose namespace is gone stops it, with its name and nothing written',
  oldest,
  async (place) => {
    const before = await withStore(place, async (store) => {
      const key = 'namespaces//ops';
      const rev = (await store.get('resource', key))?.rev ?? 0;
      await store.commit([{ type: 'delete', kind: 'resource', key, rev: rev + 1 }]);
      return recordsOf(store);
    });
    const { code, text } = await runCommand('mon-backend', [
      'upgrade',
      '--skip-confirm',
      ...storeFlags(place),
    ]);
    assert.equal(code, 1, text);
    assert.match(
      text,
      /nothing was upgraded: the namespace of these checks is gone: ops\/disk\. Create the namespace again/,
    );
    await withStore(place, async (store) => {
      assert.deepEqual(await recordsOf(store), before);
      assert.equal(store.marker.migrated, oldest.format);
    });
  },
);

onBoth('one that ended in the middle goes on with the next run', oldest, async (place) => {
  await withStore(place, async (store) => {
    const model = await store.get('entity', 'default/quiet');
    assert.ok(model !== undefined && model.version < entityVersion);
    const old = Array.from({ length: 600 }, (_, n) => `default/old-${n}`);
    await store.commit(
      old.map((key) => ({ type: 'put', kind: 'entity', key, record: { ...model, rev: 1 } }) as const),
    );
    const target = storeAtRest(store);
    let batches = 0;
    const killed = async () => {
      throw new Error('killed');
    };
    const dying = {
      ...target,
      rewrite: (rewrites: Parameters<typeof target.rewrite>[0]) => {
        batches += 1;
        return batches > 1 ? killed() : target.rewrite(rewrites);
      },
    };
    await assert.rejects(collect(upgrade(dying)), /killed/);
    const versions = async () =>
      (await collect(store.scan('entity'))).map(({ record }) => record.version === entityVersion);
    assert.ok(
      (await versions()).includes(true) && (await versions()).includes(false),
      'it ended in the middle',
    );
    assert.equal(store.marker.migrated, oldest.format);
    const done = await last(upgrade(storeAtRest(store)));
    assert.ok(done?.type === 'done' && done.written > 0);
    assert.ok(!(await versions()).includes(false));
  });
});

/** Entities in the oldest format, many enough for several batches. */
const addOld = (place: Place, count: number): Promise<void> =>
  withStore(place, async (store) => {
    const model = await store.get('entity', 'default/quiet');
    assert.ok(model !== undefined && model.version < entityVersion);
    const context = (model.state as { context: { entity: { metadata: object } } }).context;
    const named = (name: string) => ({
      ...(model.state as object),
      context: {
        ...context,
        name,
        entity: { ...context.entity, metadata: { ...context.entity.metadata, name } },
      },
    });
    await store.commit(
      Array.from({ length: count }, (_, n) => {
        const name = `old-${n}`;
        const record = { ...model, rev: 1, state: named(name) };
        return { type: 'put', kind: 'entity', key: `default/${name}`, record } as const;
      }),
    );
  });

onBoth('a backend that is killed while it upgrades goes on with the next run', oldest, async (place) => {
  const count = 3_000;
  await addOld(place, count);
  const flags = ['--entity-limit', '0', ...(place.url === '' ? [] : ['--store-url', place.url])];
  const first = await startBackend(place.stateDir, flags);
  const steps = askControl(place.stateDir, '/v1/upgrade');
  // Killed in the middle, unless the machine upgrades everything while one message travels: then it is killed at the end.
  await steps.next();
  await first.program.kill('SIGKILL');
  const left = await collect(steps).then(
    () => 'done',
    (error: Error) => error.message,
  );
  assert.match(left, /^done$|went away in the middle; run the command again/);

  const second = await startBackend(place.stateDir, flags);
  try {
    const upgraded = await runCommand('mon-backend', ['upgrade', '--skip-confirm', ...storeFlags(place)]);
    assert.equal(upgraded.code, 0, upgraded.text);
    assert.match(upgraded.text, /upgraded from format|Nothing to upgrade/);
    const api = await ApiClient.login(second.api);
    const entities = await api.get<unknown[]>(`${inDefault('entities')}?limit=0`);
    assert.equal(entities.length, count + 7);
  } finally {
    await second.program.kill('SIGKILL');
  }
  await withStore(place, async (store) => {
    assert.equal(store.marker.migrated, storeFormat);
    const versions = (await collect(store.scan('entity'))).map(({ record }) => record.version);
    assert.equal(versions.length, count + 7);
    assert.ok(versions.every((version) => version === entityVersion));
    assert.deepEqual(await badIn(store, place.stateDir), []);
  });
});

test('a record that cannot be migrated keeps the old format, and is named', () =>
  tempDir(async (dir) => {
    const place = { stateDir: join(dir, 'state'), url: '' };
    unpackLmdb(oldest, place.stateDir);
    await withStore(place, async (store) => {
      const record = await store.get('entity', 'default/quiet');
      assert.ok(record !== undefined);
      const bad = { ...record, rev: record.rev + 1, state: { value: 'no such state', context: {} } };
      await store.commit([{ type: 'put', kind: 'entity', key: 'default/quiet', record: bad }]);
      await assert.rejects(
        collect(upgrade(storeAtRest(store))),
        /entity default\/quiet \(.*check-store --set-aside/,
      );
      assert.equal(store.marker.migrated, oldest.format);
    });
    const aside = await runCommand('mon-backend', ['check-store', '--set-aside', ...storeFlags(place)]);
    assert.equal(aside.code, 0, aside.text);
    assert.match(aside.text, /bad {2}entity default\/quiet: stored entity state cannot be restored/);
    const upgraded = await runCommand('mon-backend', ['upgrade', '--skip-confirm', ...storeFlags(place)]);
    assert.equal(upgraded.code, 0, upgraded.text);
  }));

test('without an answer nothing is upgraded', () =>
  tempDir(async (dir) => {
    const stateDir = join(dir, 'state');
    unpackLmdb(oldest, stateDir);
    const { code, text } = await runCommand('mon-backend', ['upgrade', '--state-dir', stateDir]);
    assert.equal(code, 1);
    assert.match(text, /nobody answered; nothing was upgraded/);
  }));
