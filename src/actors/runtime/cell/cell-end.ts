// How a life ends: its cleanup, the receipts it still holds, and its listeners.
import { busy } from '../busy.ts';
import type { Behaviour, ExitReason } from '../contract.ts';
import type { Faults } from '../inspection/facts.ts';
import { heldReceiptGraceMs } from '../limits.ts';
import type { RunQueue } from '../load/run-queue.ts';
import { isFailure } from '../supervision/restart-rule.ts';
import type { Deadlines } from '../time/deadlines.ts';
import type { Life } from './life.ts';

/** Told once when the current life of an actor ends, or at once when it has none. */
export type DeathListener = (reason: ExitReason) => void;

/** Listeners for the next death, and no other. */
export class DeathListeners {
  #listeners: Set<DeathListener> | undefined;

  /** Returns the way to stop waiting. */
  add(listener: DeathListener): () => void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
    return () => this.#listeners?.delete(listener);
  }

  /** Each in a turn of its own. */
  tell(reason: ExitReason, queue: RunQueue): void {
    const listeners = this.#listeners;
    this.#listeners = undefined;
    for (const listener of listeners ?? []) queue.post(() => listener(reason));
  }
}

/** Nothing of the life goes on after this but its cleanup, whose end the promise tells. Never throws or rejects. */
export const endLife = (
  life: Life,
  behaviour: Behaviour,
  reason: ExitReason,
  faults: Faults,
): Promise<void> | undefined => {
  life.close();
  const report = (error: unknown): void => faults.report(`the cleanup of ${life.id}`, error);
  try {
    const ending = behaviour.end?.(life, reason);
    return ending instanceof Promise ? ending.catch(report) : undefined;
  } catch (error) {
    report(error);
    return undefined;
  }
};

/**
 * The holder of a receipt may be lost with a life that ended by itself. Senders still get an outcome within a bounded time. Calls back when none is held any more.
 */
export const settleInTime = (
  life: Life,
  reason: ExitReason,
  { shutdownMs, deadlines }: { readonly shutdownMs: number; readonly deadlines: Deadlines },
  settled: () => void,
): void => {
  const [why, graceMs] = isFailure(reason)
    ? (['restarting', heldReceiptGraceMs] as const)
    : (['stopped', shutdownMs] as const);
  const timer = deadlines.after(graceMs, () => life.settleHeld(busy(why, life.id)));
  life.whenSettled(() => {
    deadlines.disarm(timer);
    settled();
  });
};
