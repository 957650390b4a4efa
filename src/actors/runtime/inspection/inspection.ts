// Looking at one actor while it runs. A watch is attached only while somebody looks and only to what they look at: an
// unwatched actor pays for it with one comparison a message. The record is shaped like XState 6's transition event.
import type { AnyActor, AnyMachineSnapshot, AnyStateMachine, Snapshot } from 'xstate';
import { sendObserved } from '../cell/effect-logic.ts';
import type { ActorId, ActorMessage, TransitionRecord } from '../contract.ts';
import { keptTransitions } from '../limits.ts';
import { Listeners } from '../listeners.ts';
import type { RuntimeServices } from '../runtime-services.ts';
import { actionsOf, type Microstep } from '../statechart/executor.ts';
import { type Candidate, explain } from '../statechart/explain.ts';
import { stateValueOf } from './snapshot.ts';

export type TransitionObserver = (record: TransitionRecord) => void;

/** What one message did to the machine. */
interface Sent {
  readonly message: ActorMessage;
  readonly before: AnyMachineSnapshot;
  readonly steps: readonly Microstep[];
  readonly durationUs: number;
}

export class TransitionWatch {
  readonly #id: string;
  readonly #machine: AnyStateMachine;
  readonly #parts: Pick<RuntimeServices, 'clock'>;
  readonly #observers: Listeners<[record: TransitionRecord]>;
  readonly #ring: TransitionRecord[] = [];
  #sent: Sent | undefined;
  #seq = 0;

  constructor(id: string, machine: AnyStateMachine, parts: Pick<RuntimeServices, 'clock' | 'faults'>) {
    this.#id = id;
    this.#machine = machine;
    this.#parts = parts;
    this.#observers = new Listeners((error) => parts.faults.report(`an observer of ${id}`, error));
  }

  /** The last 50 transitions, oldest first. */
  get ring(): readonly TransitionRecord[] {
    return this.#ring;
  }
  get observers(): number {
    return this.#observers.size;
  }

  add(observer: TransitionObserver): () => void {
    return this.#observers.add(observer);
  }

  /** Hands the message to the machine, and sees how it takes it. */
  send(actor: AnyActor, message: ActorMessage): void {
    const before = actor.getSnapshot() as AnyMachineSnapshot;
    const startedMs = this.#parts.clock.monotonicMs();
    const steps = sendObserved(actor, message);
    const durationUs = (this.#parts.clock.monotonicMs() - startedMs) * 1_000;
    this.#sent = { message, before, steps, durationUs };
  }

  /** Where the message led, and what it asked for: tells the observers. */
  tell(snapshot: Snapshot<unknown>, effects: readonly { readonly type: string }[]): void {
    const sent = this.#sent;
    if (sent === undefined) return;
    this.#sent = undefined;
    this.#seq += 1;
    const machine = this.#machine;
    const { message, before, steps } = sent;
    let candidates: readonly Candidate[] | undefined;
    const record: TransitionRecord = {
      seq: this.#seq,
      atMs: this.#parts.clock.wallMs(),
      actor: this.#id,
      event: message,
      from: stateValueOf(before),
      to: stateValueOf(snapshot),
      changed: steps.some(({ lines }) => lines.length > 0),
      actions: actionsOf(machine, before, steps),
      effects: effects.map(({ type }) => type),
      taken: steps.flatMap(({ lines }) => lines.map(({ id }) => id)),
      // Worked out for those who read it: guards say the same on the state before, which is kept as long as the record.
      get candidates() {
        candidates ??= explain(machine, before, message);
        return candidates;
      },
      microsteps: steps.length,
      durationUs: Math.round(sent.durationUs),
    };
    this.#ring.push(record);
    if (this.#ring.length > keptTransitions) this.#ring.shift();
    this.#observers.tell(record);
  }
}

/** Where actors are found that can be watched. */
interface Watchables {
  readonly registry: {
    cell(
      id: ActorId,
    ):
      | { readonly behaviour: { readonly machine: AnyStateMachine }; watch: TransitionWatch | undefined }
      | undefined;
  };
}

/**
 * Calls the observer with every transition of one actor, across its restarts, until the returned function is called.
 * Undefined if there is no such actor. An observer that throws is reported as a fault and affects nothing else. The watch
 * is detached with its last observer.
 */
export const observe = (
  runtime: Pick<RuntimeServices, 'clock' | 'faults'> & Watchables,
  id: ActorId,
  observer: TransitionObserver,
): (() => void) | undefined => {
  const cell = runtime.registry.cell(id);
  if (cell === undefined) return undefined;
  cell.watch ??= new TransitionWatch(id, cell.behaviour.machine, runtime);
  const { watch } = cell;
  const remove = watch.add(observer);
  return () => {
    remove();
    if (watch.observers === 0 && cell.watch === watch) cell.watch = undefined;
  };
};
