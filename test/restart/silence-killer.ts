// A backend in a process of its own that dies by SIGKILL at the moment a silence is to be removed from the store.
// `node silence-killer.js <store url> <state dir> incident`: an incident begins and resolves below a silence that ends on
// resolve; the removal of that silence never reaches the store. `... look`: prints the silences once all has come to rest.
import { Backend } from '../../src/actors/backend.ts';
import type { BackendOptions } from '../../src/actors/compose/open-dependencies.ts';
import { seedIfEmpty } from '../../src/actors/resources/seed.ts';
import { eventSchema } from '../../src/model/event/event.ts';
import { silencedSchema } from '../../src/model/silence/silenced.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { SnapshotStore } from '../../src/store/snapshot-store.ts';
import { eventually } from '../eventually.ts';
import { onOwnershipLost } from '../store/records.ts';

const [url = '', stateDir = '', task = ''] = process.argv.slice(2);
const name = '*:cpu';
const real = await openStore({ url, stateDir, onOwnershipLost });

/** Everything but the removal of the silence. */
const store: SnapshotStore = {
  name: real.name,
  maxConcurrentCommits: real.maxConcurrentCommits,
  commit: (writes) => {
    if (task === 'incident' && writes.some(({ type, key }) => type === 'delete' && key.includes('silenced/')))
      process.kill(process.pid, 'SIGKILL');
    return real.commit(writes);
  },
  get: (kind, key) => real.get(kind, key),
  scan: (kind, query) => real.scan(kind, query),
  count: (kind, prefix) => real.count(kind, prefix),
  quarantined: () => real.quarantined(),
  close: () => real.close(),
};

const quiet = (): void => {};
const { backend } = await Backend.open({
  store,
  log: { debug: quiet, info: quiet, warn: quiet, error: quiet, fatal: quiet } as BackendOptions['log'],
  name: 'backend-under-test',
  entityLimit: 0,
  deregistrationHandler: '',
  deliveryWorkers: 4,
  env: { PATH: process.env.PATH },
  onCollapse: () => process.exit(3),
});
const { resources } = backend;
await seedIfEmpty(resources, { adminUsername: 'admin', adminPassword: 'P@ssw0rd!', hash: async () => '' });
backend.serve();

const result = (status: number) =>
  eventSchema.parse({
    entity: { metadata: { name: 'web-01', namespace: 'default' }, entity_class: 'proxy' },
    check: { metadata: { name: 'cpu', namespace: 'default' }, interval: 60, status, executed: 1 },
    metadata: { namespace: 'default' },
  });
const silences = () => resources.list('silenced').items.length;
const statusOf = async () => (await backend.readEvent('default', 'web-01', 'cpu'))?.check.status;

if (task === 'incident') {
  const silence = silencedSchema.parse({
    metadata: { name, namespace: 'default' },
    check: 'cpu',
    begin: 1,
    expire_on_resolve: true,
  });
  await resources.put({ segment: 'silenced', namespace: 'default', name }, { ...silence });
  for (const status of [1, 0]) await backend.acceptEvent(result(status));
} else {
  await eventually('the end of the silence', () => silences() === 0, 5_000).catch(quiet);
  process.stdout.write(JSON.stringify({ status: await statusOf(), silences: silences() }));
}
await backend.stop();
await store.close();
