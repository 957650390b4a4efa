// One run of the road from a validated event to its acknowledgement after the commit, on a store in memory and without
// sockets: what is left is machines, mailboxes, writer, lists. Sends its parent microseconds of the main thread per event.
import { Backend } from '../../src/actors/backend.ts';
import { type CheckEvent, eventSchema } from '../../src/model/event.ts';
import { MemoryStore } from '../../src/store/memory-store.ts';
import { cpuTimeUs } from './cpu-time.ts';

const [warmUp = 30_000, measured = 150_000] = process.argv.slice(2).map(Number);
const entities = 500;
const checksPerEntity = 10;
const inFlight = 512;

const eventAt = (at: number): CheckEvent => {
  const place = at % (entities * checksPerEntity);
  const entity = `host-${Math.floor(place / checksPerEntity)}`;
  return eventSchema.parse({
    id: `00000000-0000-4000-8000-${at.toString(16).padStart(12, '0')}`,
    timestamp: 1_700_000_000 + at,
    entity: { entity_class: 'proxy', metadata: { name: entity, namespace: 'default' } },
    check: {
      metadata: { name: `check-${place % checksPerEntity}`, namespace: 'default' },
      interval: 60,
      executed: 1_700_000_000 + at,
      output: `load average: ${at % 7}.1\n`,
    },
  }) as CheckEvent;
};

const noLog = { debug() {}, info() {}, warn() {}, error() {} };
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
backend.serve();

/** Microseconds of the main thread per event: the collector's threads come and go as they like. */
const run = (first: number, count: number): Promise<number> => {
  const events = Array.from({ length: count }, (_, index) => eventAt(first + index));
  const startedUs = cpuTimeUs(process.pid).main;
  return new Promise((resolve, reject) => {
    let sent = 0;
    let acked = 0;
    const send = (): void => {
      const event = events[sent];
      if (event === undefined) return;
      sent += 1;
      backend.acceptFrame('event', event, (outcome) => {
        if (outcome.type !== 'done') return reject(new Error(JSON.stringify(outcome)));
        acked += 1;
        if (acked < count) return send();
        resolve((cpuTimeUs(process.pid).main - startedUs) / count);
      });
    };
    for (let open = 0; open < inFlight; open += 1) send();
  });
};

await run(0, warmUp);
const us = await run(warmUp, measured);
process.send?.(us, () => process.exit(0));
