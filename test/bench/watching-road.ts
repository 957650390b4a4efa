// The road from a validated event to its acknowledgement after the commit, on a store in memory and without sockets: what
// is left is machines, mailboxes, writer, lists. Of any build of this program, so that two can be run in turns.
import { join } from 'node:path';
import type { CheckEvent } from '../../src/model/event/event.ts';

const entities = 500;
const checksPerEntity = 10;
const inFlight = 512;

/** Takes so many events down the road; resolves with microseconds of CPU per event. */
export type Road = (count: number) => Promise<number>;

const eventAt = (at: number): object => {
  const place = at % (entities * checksPerEntity);
  return {
    id: `00000000-0000-4000-8000-${at.toString(16).padStart(12, '0')}`,
    timestamp: 1_700_000_000 + at,
    entity: {
      entity_class: 'proxy',
      metadata: { name: `host-${Math.floor(place / checksPerEntity)}`, namespace: 'default' },
    },
    check: {
      metadata: { name: `check-${place % checksPerEntity}`, namespace: 'default' },
      interval: 60,
      executed: 1_700_000_000 + at,
      output: `load average: ${at % 7}.1\n`,
    },
  };
};

const noLog = { debug() {}, info() {}, warn() {}, error() {} };

/** `dist`: where the compiled files of the build are. */
export const openRoad = async (dist: string): Promise<{ readonly run: Road; stop(): Promise<void> }> => {
  const load = (path: string): Promise<unknown> => import(join(dist, 'src', path));
  const { Backend } = (await load('actors/backend.js')) as typeof import('../../src/actors/backend.ts');
  const { MemoryStore } = (await load(
    'store/memory-store.js',
  )) as typeof import('../../src/store/memory-store.ts');
  const { eventSchema } = (await load(
    'model/event/event.js',
  )) as typeof import('../../src/model/event/event.ts');
  const { backend } = await Backend.open({
    store: new MemoryStore(),
    log: noLog,
    name: 'bench',
    entityLimit: 0,
    deregistrationHandler: '',
    deliveryWorkers: 4,
    env: {},
    onCollapse: () => process.exit(1),
  });
  await backend.resources.put({ segment: 'namespaces', namespace: '', name: 'default' }, { name: 'default' });
  await backend.serve();
  let made = 0;
  const run: Road = (count) => {
    const events = Array.from({ length: count }, () => eventSchema.parse(eventAt(made++)) as CheckEvent);
    const started = process.cpuUsage();
    return new Promise((resolve, reject) => {
      let [sent, acked] = [0, 0];
      const send = (): void => {
        const event = events[sent];
        if (event === undefined) return;
        sent += 1;
        backend.acceptFrame('event', event, (outcome) => {
          if (outcome.type !== 'done') return reject(new Error(JSON.stringify(outcome)));
          acked += 1;
          if (acked < count) return send();
          const { user, system } = process.cpuUsage(started);
          resolve((user + system) / count);
        });
      };
      for (let open = 0; open < inFlight; open += 1) send();
    });
  };
  return { run, stop: () => backend.stop() };
};
