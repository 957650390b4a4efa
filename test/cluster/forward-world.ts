// A sender and owners of shards on a bus in memory and on simulated time, for tests of forwarding.
import { Forwarder, type ForwarderOptions, type ShardOwner } from '../../src/cluster/forward.ts';
import { type BusFaults, MemoryBusServer } from '../../src/cluster/memory-bus.ts';
import { doneOutcome, type ForwardOutcome, type ForwardReceipt } from '../../src/cluster/outcome.ts';
import { type ReceivePorts, Receiver } from '../../src/cluster/receive.ts';
import { subjectsOf } from '../../src/cluster/subjects.ts';
import { createSimulatedClock } from '../actors/runtime/simulated-clock.ts';
import { seeded } from '../property.ts';

const subjects = subjectsOf('test');

const text = (data: Uint8Array): string => Buffer.from(data).toString();

export interface Arrival {
  readonly backend: string;
  readonly shard: number;
  readonly to: string;
  readonly word: string;
}

export const forwardWorld = (seed: number, faults?: BusFaults) => {
  const clock = createSimulatedClock();
  const random = seeded(seed);
  const reports: string[] = [];
  const report = (_level: string, message: string): unknown => reports.push(message);
  const server = new MemoryBusServer({ clock, random, report });
  if (faults !== undefined) server.faults = faults;
  const arrivals: Arrival[] = [];
  const receivers = new Map<string, Receiver>();
  const truth = new Map<number, ShardOwner>();
  /** What the sender believes. */
  const known = new Map<number, ShardOwner>();
  let apply = (_arrival: Arrival, receipt: ForwardReceipt): void => receipt(doneOutcome);

  /** Its memory is gone, as after a restart. */
  const start = (backend: string): void => {
    receivers.get(backend)?.close();
    const bus = buses.get(backend) ?? server.connect(backend);
    buses.set(backend, bus);
    const ports: ReceivePorts = {
      holds: (shard) => {
        const owner = truth.get(shard);
        return { isMine: owner?.backend === backend, epoch: owner?.epoch ?? 0 };
      },
      apply(shard, to, payload, receipt) {
        const arrival = { backend, shard, to, word: text(payload) };
        arrivals.push(arrival);
        apply(arrival, receipt);
      },
    };
    const subject = subjects.shards(backend);
    receivers.set(backend, new Receiver({ bus, subject, clock, ports, report }));
  };
  const buses = new Map<string, ReturnType<MemoryBusServer['connect']>>();

  return {
    clock,
    random,
    server,
    buses,
    arrivals,
    reports,
    start,
    stop(backend: string): void {
      receivers.get(backend)?.close();
      receivers.delete(backend);
    },
    /** The sender hears of it when it looks. */
    own(shard: number, backend: string): void {
      truth.set(shard, { backend, epoch: (truth.get(shard)?.epoch ?? 0) + 1 });
    },
    know(shard: number): void {
      const owner = truth.get(shard);
      if (owner !== undefined) known.set(shard, owner);
    },
    applyWith(next: typeof apply): void {
      apply = next;
    },
    forwarder(more: Partial<ForwarderOptions> = {}): Forwarder {
      const bus = server.connect('edge');
      buses.set('edge', bus);
      return new Forwarder({
        bus,
        clock,
        sender: 'edge.1',
        subjectOf: subjects.shards,
        ownerOf: (shard) => known.get(shard),
        lookUpAgain: (shard) => {
          const owner = truth.get(shard);
          if (owner !== undefined) known.set(shard, owner);
        },
        report,
        random,
        ...more,
      });
    },
  };
};

/** Tells, and notes every outcome: more than one would be a fault. */
export const teller = (forwarder: Forwarder) => {
  const outcomes = new Map<string, ForwardOutcome[]>();
  return {
    outcomes,
    tell(shard: number, word: string, to = `check:default/e${shard}/c`): void {
      const told: ForwardOutcome[] = [];
      outcomes.set(word, told);
      forwarder.tell(shard, to, Buffer.from(word), (outcome) => told.push(outcome));
    },
    types: (): string[] => [...outcomes.values()].map((told) => told.map(({ type }) => type).join('+')),
  };
};
