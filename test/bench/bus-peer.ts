// A sender or an owner of shards for the bench of the bus, in a process of its own.
import { realClock } from '../../src/actors/runtime/time/clock.ts';
import type { Bus } from '../../src/cluster/bus.ts';
import { Forwarder } from '../../src/cluster/forward.ts';
import { shardCount } from '../../src/cluster/limits.ts';
import { openNatsBus } from '../../src/cluster/nats-bus.ts';
import { doneOutcome, type ForwardReceipt } from '../../src/cluster/outcome.ts';
import { Receiver } from '../../src/cluster/receive.ts';
import { subjectsOf } from '../../src/cluster/subjects.ts';

export interface BusLoad {
  readonly inFlight: number;
  readonly seconds: number;
}

export interface BusLoadResult {
  readonly events: number;
  readonly batches: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const subjects = subjectsOf('bench');
const payload = Buffer.from(JSON.stringify({ output: 'x'.repeat(1_487) }));
const report = (_level: string, text: string): void => console.error(text);
const send = (value: unknown): void => {
  process.send?.(value);
};

const serve = (bus: Bus): void => {
  let open: ForwardReceipt[] = [];
  // As a group commit: what arrived in one turn of the loop is settled together.
  const commit = (): void => {
    const settled = open;
    open = [];
    for (const receipt of settled) receipt(doneOutcome);
  };
  const apply = (_shard: number, _to: string, _payload: Uint8Array, receipt: ForwardReceipt): void => {
    if (open.push(receipt) === 1) setImmediate(commit);
  };
  const ports = { holds: () => ({ isMine: true, epoch: 1 }), apply };
  new Receiver({ bus, subject: subjects.shards('owner'), clock: realClock, ports, report });
};

const offer = (bus: Bus): void => {
  let batches = 0;
  const counting: Bus = Object.assign(Object.create(bus) as Bus, {
    request: (...call: Parameters<Bus['request']>) => {
      batches += 1;
      return bus.request(...call);
    },
    onState: bus.onState.bind(bus),
  });
  Object.defineProperty(counting, 'maxPayloadBytes', { get: () => bus.maxPayloadBytes });
  const forwarder = new Forwarder({
    bus: counting,
    clock: realClock,
    sender: 'edge.1',
    subjectOf: subjects.shards,
    ownerOf: () => ({ backend: 'owner', epoch: 1 }),
    lookUpAgain: () => {},
    report,
  });
  process.on('message', ({ inFlight, seconds }: BusLoad) => {
    const latencies: number[] = [];
    let next = 0;
    let open = 0;
    batches = 0;
    const begun = performance.now();
    const end = begun + seconds * 1_000;
    const tell = (): void => {
      const sent = performance.now();
      if (sent > end) {
        if (open === 0) finish();
        return;
      }
      open += 1;
      next += 1;
      const shard = next % shardCount;
      forwarder.tell(shard, `check:default/entity-${shard}/check-cpu`, payload, () => {
        open -= 1;
        latencies.push(performance.now() - sent);
        tell();
      });
    };
    const finish = (): void => {
      latencies.sort((a, b) => a - b);
      const at = (part: number): number => latencies[Math.floor(latencies.length * part)] ?? Number.NaN;
      const seconds = (performance.now() - begun) / 1_000;
      const result: BusLoadResult = { events: next, batches, seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
      send(result);
    };
    for (let index = 0; index < inFlight; index += 1) tell();
  });
};

const [role, url] = process.argv.slice(2);
if (process.send !== undefined && url !== undefined && (role === 'owner' || role === 'edge')) {
  const bus = await openNatsBus({ urls: [url], name: role, clock: realClock, report });
  if (role === 'owner') serve(bus);
  else offer(bus);
  send('ready');
}
