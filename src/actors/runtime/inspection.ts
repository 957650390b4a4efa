// Looking at one actor while it runs. A watch is attached only while somebody looks and only to what they look at: an
// unwatched actor pays for it with one comparison a message. The record is shaped like XState 6's transition event.
import type {
  AnyActor,
  AnyMachineSnapshot,
  AnyStateMachine,
  AnyStateNode,
  AnyTransitionDefinition,
  Snapshot,
} from 'xstate';
import { getNextTransitions, transition } from 'xstate';
import { askGuard } from '../../machines/guard-rule.ts';
import type { ActorMessage, TransitionRecord } from './contract.ts';
import { type Step, sendObserved } from './effect-logic.ts';
import type { Faults } from './facts.ts';
import { keptTransitions } from './limits.ts';
import type { RuntimeServices } from './runtime-services.ts';
import { stateValueOf } from './snapshot.ts';

export type TransitionObserver = (record: TransitionRecord) => void;

/** What one message did to the machine. */
interface Sent {
  readonly message: ActorMessage;
  readonly before: Snapshot<unknown>;
  readonly steps: readonly Step[];
  readonly durationUs: number;
}

export class TransitionWatch {
  readonly #id: string;
  readonly #machine: AnyStateMachine;
  readonly #parts: Pick<RuntimeServices, 'clock' | 'faults'>;
  readonly #observers = new Set<TransitionObserver>();
  readonly #ring: TransitionRecord[] = [];
  #sent: Sent | undefined;
  #seq = 0;

  constructor(id: string, machine: AnyStateMachine, parts: Pick<RuntimeServices, 'clock' | 'faults'>) {
    this.#id = id;
    this.#machine = machine;
    this.#parts = parts;
  }

  /** The last 50 transitions, oldest first. */
  get ring(): readonly TransitionRecord[] {
    return this.#ring;
  }
  get observers(): number {
    return this.#observers.size;
  }

  add(observer: TransitionObserver): void {
    this.#observers.add(observer);
  }

  remove(observer: TransitionObserver): void {
    this.#observers.delete(observer);
  }

  /** Hands the message to the machine, and sees how it takes it. */
  send(actor: AnyActor, message: ActorMessage): void {
    const before = actor.getSnapshot();
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
    const record: TransitionRecord = {
      seq: this.#seq,
      atMs: this.#parts.clock.wallMs(),
      actor: this.#id,
      event: sent.message,
      from: stateValueOf(sent.before),
      to: stateValueOf(snapshot),
      changed: sent.steps.some(({ transitions }) => transitions.length > 0),
      actions: actionsOf(sent),
      effects: effects.map(({ type }) => type),
      guards: guardsOf(sent, this.#machine),
      microsteps: sent.steps.length,
      durationUs: Math.round(sent.durationUs),
    };
    this.#ring.push(record);
    if (this.#ring.length > keptTransitions) this.#ring.shift();
    tellObservers(this.#observers, record, this.#parts.faults);
  }
}

const tellObservers = (
  observers: ReadonlySet<TransitionObserver>,
  record: TransitionRecord,
  faults: Faults,
): void => {
  for (const observer of observers) {
    try {
      observer(record);
    } catch (error) {
      faults.report(`an observer of ${record.actor}`, error);
    }
  }
};

const nodesOf = (snapshot: unknown): readonly AnyStateNode[] =>
  (snapshot as { _nodes?: readonly AnyStateNode[] })._nodes ?? [];

const nameOf = (action: unknown): string => {
  if (typeof action === 'string') return action;
  if (typeof action === 'function') return action.name;
  return String((action as { type?: unknown }).type);
};

/** In the order they ran: of states left, of transitions, of states entered, step by step. */
const actionsOf = ({ before, steps }: Sent): string[] => {
  const names: string[] = [];
  let from = nodesOf(before);
  for (const { transitions, snapshot } of steps) {
    const to = nodesOf(snapshot);
    for (const node of from) if (!to.includes(node)) names.push(...node.exit.map(nameOf));
    for (const { actions } of transitions) names.push(...actions.map(nameOf));
    for (const node of to) if (!from.includes(node)) names.push(...node.entry.map(nameOf));
    from = to;
  }
  return names;
};

const isFor = (candidate: AnyTransitionDefinition, type: string): boolean => {
  const { eventType } = candidate;
  return eventType === type || (eventType.endsWith('*') && type.startsWith(eventType.slice(0, -1)));
};

/** XState does not tell what a guard said; asked once more on the state before, it says the same. */
const guardsOf = ({ message, before, steps }: Sent, machine: AnyStateMachine): TransitionRecord['guards'] => {
  const taken = new Set(steps.flatMap(({ transitions }) => transitions));
  const snapshot = before as AnyMachineSnapshot;
  return getNextTransitions(snapshot)
    .filter((candidate) => candidate.guard !== undefined && isFor(candidate, message.type))
    .map((candidate) => ({
      guard: nameOf(candidate.guard),
      verdict: askGuard(machine, candidate.guard, snapshot, message).verdict,
      taken: taken.has(candidate),
    }));
};

/** What a message would do to the live snapshot, by XState's pure transition: nothing is done, nothing moves. */
export interface DryRun {
  readonly snapshot: Snapshot<unknown>;
  /** The effects the machine would ask for. */
  readonly effects: readonly { readonly type: string }[];
  /** Named actions that are neither assigns nor emits. */
  readonly actions: readonly string[];
}

/** Throws what the machine throws: the actor would crash. */
export const dryRun = (
  machine: AnyStateMachine,
  snapshot: Snapshot<unknown>,
  message: ActorMessage,
): DryRun => {
  const [next, actions] = transition(machine, snapshot as AnyMachineSnapshot, message);
  const isEmit = (type: string): boolean => type === 'xstate.emit';
  const emitted = actions.filter(({ type }) => isEmit(type));
  return {
    snapshot: next,
    effects: emitted.map(({ params }) => (params as unknown as { event: { type: string } }).event),
    actions: actions.map(({ type }): string => type).filter((type) => !isEmit(type)),
  };
};
