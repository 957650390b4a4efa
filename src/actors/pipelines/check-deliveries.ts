// Deliveries of checks on their way through the pipelines. Each is noted by its check when it is done; those of a check that
// is deleted meanwhile become announcements, so that a crash in between tells them all the same.
import type { CheckFact, PendingDelivery } from '../../machines/check/check-facts.ts';
import type { ActorId } from '../runtime/contract.ts';
import type { Announcements } from './announcements.ts';
import type { Deliveries } from './deliveries.ts';

export interface CheckDeliveriesPorts {
  readonly deliveries: Pick<Deliveries, 'submit'>;
  readonly announcements: Pick<Announcements, 'tell' | 'keep'>;
  readonly nowMs: () => number;
  /** Tells a check what became of a delivery: until it hears of it. */
  readonly note: (check: ActorId, fact: CheckFact) => void;
  /** The same, once: nothing hangs on it. */
  readonly mention: (check: ActorId, fact: CheckFact) => void;
}

interface UnderWay {
  /** More than one when the check restarted meanwhile. */
  runs: number;
  /** Set once the check is deleted: what to do when it is done, in place of a note to the check. */
  settle?: () => void;
}

export class CheckDeliveries {
  readonly #ports: CheckDeliveriesPorts;
  /** By check and number. Numbers begin anew with a check that is deleted and made again. */
  readonly #underWay = new Map<string, UnderWay>();

  constructor(ports: CheckDeliveriesPorts) {
    this.#ports = ports;
  }

  /** Calls back at least once; never throws. */
  deliver(check: ActorId, { seq, event }: PendingDelivery): void {
    const { deliveries, nowMs, note, mention } = this.#ports;
    const key = keyOf(check, seq);
    const underWay: UnderWay = this.#underWay.get(key) ?? { runs: 0 };
    underWay.runs += 1;
    this.#underWay.set(key, underWay);
    deliveries.submit(
      event,
      (trace) => {
        underWay.runs -= 1;
        if (underWay.runs === 0 && this.#underWay.get(key) === underWay) this.#underWay.delete(key);
        if (underWay.settle !== undefined) underWay.settle();
        else note(check, { type: 'delivery.finished', seq, nowMs: nowMs(), trace });
      },
      (trace) => {
        if (underWay.settle === undefined)
          mention(check, { type: 'delivery.delayed', seq, nowMs: nowMs(), trace });
      },
    );
  }

  /** The check is deleted: what it still had to tell is told without it. */
  handOver(check: ActorId, pending: readonly PendingDelivery[]): void {
    const { announcements } = this.#ports;
    for (const { seq, event } of pending) {
      const key = keyOf(check, seq);
      const underWay = this.#underWay.get(key);
      this.#underWay.delete(key);
      if (underWay === undefined) announcements.tell(event);
      else underWay.settle = announcements.keep(event);
    }
  }
}

const keyOf = (check: ActorId, seq: number): string => `${check}#${seq}`;
