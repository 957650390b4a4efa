// Deliveries of checks on their way through the pipelines. The event of one that waited is read from its record when its turn
// comes. Each is noted by its check when it is done, which deletes its record. Those of a check that is deleted meanwhile are
// told without it, also after a crash.
import type { CheckContext, CheckFact, DeliveryChanges } from '../../machines/check/check-facts.ts';
import type { Event } from '../../model/event/event.ts';
import type { Trace } from '../../pipeline/trace.ts';
import type { Entry, RecordKind } from '../../store/snapshot-store.ts';
import type { Companion } from '../durable/commit-slot.ts';
import type { GroupCommit } from '../durable/group-commit.ts';
import type { HostedShards } from '../durable/hosted-shards.ts';
import type { ActorId } from '../runtime/contract.ts';
import type { Deliveries, DeliveryJob } from './deliveries.ts';
import {
  deliveryKey,
  deliveryKind,
  deliveryWrites,
  eventInDelivery,
  parseDeliveryKey,
} from './delivery-records.ts';
import { readDeliveryAgainMs } from './limits.ts';
import { WaitingBytes } from './waiting-bytes.ts';

/** The event of a delivery is in its record unless it is given. */
export interface Delivery {
  readonly seq: number;
  readonly event?: Event | undefined;
}

/** What a check names of its deliveries. */
export type NamedDeliveries = Pick<CheckContext, 'pending' | 'deliverySeries'>;

type OnBadRecord = (kind: RecordKind, key: string, error: unknown) => void;

export interface CheckDeliveriesPorts {
  readonly deliveries: Pick<Deliveries, 'submit' | 'cancel'>;
  readonly commit: Pick<GroupCommit, 'latest' | 'delete'>;
  /** In a cluster: what belongs to another backend is delivered there. */
  readonly shards?: Pick<HostedShards, 'writes'> | undefined;
  readonly nowMs: () => number;
  readonly after: (delayMs: number, fire: () => void) => void;
  /** Tells a check what became of a delivery: until it hears of it. */
  readonly note: (check: ActorId, fact: CheckFact) => void;
  /** The same, once: nothing hangs on it. */
  readonly mention: (check: ActorId, fact: CheckFact) => void;
  readonly onBadRecord: OnBadRecord;
  /** The store could not be read; it is tried again. */
  readonly onFault: (error: unknown, key: string) => void;
}

interface UnderWay {
  /** More than one when the check restarted meanwhile. */
  runs: number;
  /** Set once the check is deleted: nobody is told what became of it, and its record goes by itself. */
  isAlone: boolean;
  /** Another backend delivers it: nobody is told, and its record is not touched. */
  isLeft: boolean;
  job: DeliveryJob | undefined;
}

const newRun = (isAlone: boolean): UnderWay => ({ runs: 0, isAlone, isLeft: false, job: undefined });

export class CheckDeliveries {
  readonly #ports: CheckDeliveriesPorts;
  /** By key of the delivery's record. */
  readonly #underWay = new Map<string, UnderWay>();
  readonly #waiting = new WaitingBytes();

  constructor(ports: CheckDeliveriesPorts) {
    this.#ports = ports;
  }

  /** What waits behind other deliveries, in bytes of JSON. */
  get waitingBytes(): number {
    return this.#waiting.total;
  }

  /** A life of a check begins, with what it has to tell. */
  begin(check: string, named: NamedDeliveries | undefined): void {
    this.#waiting.begin(check, named?.pending ?? []);
  }

  /** What is to be written along with the record of the check. */
  writesOf(check: string, series: number, changes: DeliveryChanges): readonly Companion[] {
    this.#waiting.change(check, changes);
    return deliveryWrites(check, series, changes);
  }

  /** Calls back at least once; never throws. `key` is that of the delivery's record. */
  deliver(check: ActorId, key: string, { seq, event }: Delivery): void {
    const { nowMs, note, mention, shards } = this.#ports;
    if (shards !== undefined && !shards.writes(deliveryKind, key)) return;
    const underWay = this.#underWay.get(key) ?? newRun(false);
    this.#run(key, underWay, event, {
      done: (trace) => {
        if (!underWay.isAlone) note(check, { type: 'delivery.finished', seq, nowMs: nowMs(), trace });
      },
      delayed: (trace) => {
        if (!underWay.isAlone) mention(check, { type: 'delivery.delayed', seq, nowMs: nowMs(), trace });
      },
    });
  }

  /** The check is deleted: what it still had to tell is told without it. */
  handOver(check: string, { pending, deliverySeries }: NamedDeliveries): void {
    this.#waiting.forget(check);
    for (const { seq } of pending) {
      const key = deliveryKey(check, deliverySeries, seq);
      const underWay = this.#underWay.get(key);
      if (underWay === undefined) this.#deliverAlone(key);
      else underWay.isAlone = true;
    }
  }

  /** The check lives on another backend from now on. */
  unloadCheck(check: string): void {
    this.#waiting.forget(check);
  }

  /** Another backend delivers it; a run that has begun is not told of. */
  unload(key: string): void {
    const underWay = this.#underWay.get(key);
    if (underWay === undefined) return;
    underWay.isLeft = true;
    this.#underWay.delete(key);
    if (underWay.job !== undefined) this.#ports.deliveries.cancel(underWay.job);
  }

  /** Before any check comes up: the keys of all that is stored. Reading also records the stored revisions. */
  async stored(records: (kind: RecordKind) => AsyncIterable<Entry>): Promise<readonly string[]> {
    const keys: string[] = [];
    for await (const { key } of records(deliveryKind)) keys.push(key);
    return keys;
  }

  /**
   * Once all checks are up. Stored deliveries that their check does not name were never acknowledged, or are done,
   * and go. Those of a check that is gone are told without it, also when there is another one of its name by now. What a check
   * names that is not up is not known.
   */
  restore(keys: readonly string[], namedBy: (check: string) => NamedDeliveries | 'gone' | 'unknown'): void {
    for (const key of keys) {
      const name = parseDeliveryKey(key);
      if (name === undefined) {
        this.#ports.onBadRecord(deliveryKind, key, new Error('no delivery has such a key'));
        continue;
      }
      const named = namedBy(name.check);
      if (named === 'unknown') continue;
      if (named === 'gone' || named.deliverySeries !== name.series) this.#deliverAlone(key);
      else if (!named.pending.some(({ seq }) => seq === name.seq))
        this.#ports.commit.delete(deliveryKind, key);
    }
  }

  #deliverAlone(key: string): void {
    const nobody = (): void => {};
    this.#run(key, newRun(true), undefined, { done: nobody, delayed: nobody });
  }

  #run(
    key: string,
    underWay: UnderWay,
    event: Event | undefined,
    told: { readonly done: (trace: Trace | undefined) => void; readonly delayed: (trace: Trace) => void },
  ): void {
    underWay.runs += 1;
    this.#underWay.set(key, underWay);
    const done = (trace: Trace | undefined): void => {
      if (underWay.isLeft) return;
      underWay.runs -= 1;
      if (underWay.runs === 0) this.#underWay.delete(key);
      if (underWay.isAlone) this.#ports.commit.delete(deliveryKind, key);
      told.done(trace);
    };
    const submit = (found: Event | undefined): void => {
      if (underWay.isLeft) return;
      if (found === undefined) done(undefined);
      else underWay.job = this.#ports.deliveries.submit(found, done, told.delayed);
    };
    if (event === undefined) this.#read(key, submit);
    else submit(event);
  }

  /** Calls back with the event, or with undefined when there is no record: then it was delivered before a crash. */
  #read(key: string, found: (event: Event | undefined) => void): void {
    const { commit, after, onFault, onBadRecord } = this.#ports;
    commit.latest(deliveryKind, key).then(
      (record) => {
        const event = record && eventInDelivery(record);
        if (record !== undefined && event === undefined)
          onBadRecord(deliveryKind, key, new Error('the record holds no event'));
        found(event);
      },
      (error: unknown) => {
        onFault(error, key);
        after(readDeliveryAgainMs, () => this.#read(key, found));
      },
    );
  }
}
