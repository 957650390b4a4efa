// One life of an actor: its XState actor from start to stop, the deadlines it armed, the receipts it holds. A restart
// is another life; what an earlier one left behind (a late callback, an old timer) finds it closed.
import type { AnyActor, Snapshot } from 'xstate';
import type {
  ActorId,
  ActorMessage,
  Behaviour,
  LifecycleFact,
  LiveActor,
  Outcome,
  Receipt,
} from '../contract.ts';
import type { TransitionWatch } from '../inspection/inspection.ts';
import type { RuntimeServices } from '../runtime-services.ts';
import { knowsEvent } from '../statechart/chart.ts';
import { type Deadline, type DeadlineOptions, kindOf } from '../time/deadlines.ts';
import { takeEffects } from './effect-logic.ts';
import { done, Settlement, tellReceipt } from './settlement.ts';

/** How handling a message went. `ended`: the machine reached a final state. */
export type Handled =
  | { readonly type: 'ok' | 'ended' }
  /** `poison`: the message did it before, and is parked. */
  | { readonly type: 'crashed'; readonly error: Error; readonly poison: boolean };

type Crash = Extract<Handled, { type: 'crashed' }>;

export const handledWell: Handled = { type: 'ok' };
const ended: Handled = { type: 'ended' };

/** What a life needs of the cell it lives in. */
export interface LifeHome {
  readonly id: ActorId;
  readonly behaviour: Behaviour;
  readonly parts: RuntimeServices;
  post(message: ActorMessage, receipt: Receipt | undefined): void;
  /** A deadline has come: its mail is never refused. */
  postDue(mail: DueMail): void;
  /** This life cannot go on with what it has in memory. */
  lifeFailed(life: Life, error: Error): void;
  /** What the sender of a message is told that this actor crashed on. */
  crashOutcome(message: ActorMessage, error: Error): Outcome;
}

export const dueType = 'runtime.deadlineDue';

/** The mail of a deadline. It becomes a message when its turn comes, unless it was moved or cleared by then. */
export interface DueMail extends ActorMessage {
  readonly type: typeof dueType;
  readonly name: string;
  readonly deadline: Deadline;
}

export class Life implements LiveActor {
  readonly id: ActorId;
  readonly generation: number;
  readonly startedAtMs: number;
  readonly actor: AnyActor;
  /** Messages handled in this life. */
  handled = 0;
  readonly #home: LifeHome;
  #closed = false;
  #performing = false;
  #receipt: Receipt | undefined;
  #settlement: Settlement | undefined;
  /** Held receipts: usually none or one, and a set would cost every actor more than all else here. */
  #open: Settlement | Set<Settlement> | undefined;
  #whenSettled: (() => void)[] | undefined;
  #deadlines: Map<string, Deadline> | undefined;

  constructor(home: LifeHome, generation: number, actor: AnyActor) {
    this.#home = home;
    this.id = home.id;
    this.generation = generation;
    this.actor = actor;
    this.startedAtMs = home.parts.clock.wallMs();
  }

  snapshot(): Snapshot<unknown> {
    return this.actor.getSnapshot();
  }

  tell(message: ActorMessage, receipt?: Receipt): void {
    if (!this.#closed) {
      this.#home.post(message, receipt);
      return;
    }
    const text = `${this.id} was restarted or stopped since; this came from generation ${this.generation}`;
    this.#tell(receipt, { type: 'busy', why: 'stopped', message: text });
  }

  setDeadline(name: string, atMs: number, options?: DeadlineOptions): void {
    if (this.#closed) return;
    const { deadlines } = this.#home.parts;
    this.#deadlines ??= new Map();
    const known = this.#deadlines.get(name);
    if (known !== undefined && known.kind === kindOf(options)) {
      deadlines.rearm(known, atMs);
      return;
    }
    if (known !== undefined) deadlines.disarm(known);
    const deadline: Deadline = deadlines.at(
      atMs,
      () => this.#home.postDue({ type: dueType, name, deadline }),
      options,
    );
    this.#deadlines.set(name, deadline);
  }

  clearDeadline(name: string): void {
    const known = this.#deadlines?.get(name);
    if (known === undefined) return;
    this.#home.parts.deadlines.disarm(known);
    this.#deadlines?.delete(name);
  }

  holdReceipt(): Receipt {
    if (!this.#performing) {
      throw new Error(`${this.id}: holdReceipt can only be called while an effect is performed`);
    }
    if (this.#settlement === undefined) {
      this.#settlement = new Settlement(
        this.#receipt,
        (settlement) => this.#settled(settlement),
        (error) => this.#reportReceipt(error),
      );
      this.#addOpen(this.#settlement);
    }
    return this.#settlement.hold();
  }

  beginAgain(error: Error): void {
    if (!this.#closed) this.#home.lifeFailed(this, error);
  }

  /** One message through the machine, its effects performed, its receipt told or held. */
  handle(message: ActorMessage, receipt: Receipt | undefined, watch: TransitionWatch | undefined): Handled {
    this.handled += 1;
    const before = this.actor.getSnapshot();
    if (watch === undefined) this.actor.send(message);
    else watch.send(this.actor, message);
    const after: Snapshot<unknown> = this.actor.getSnapshot();
    const effects = takeEffects();
    watch?.tell(after, effects);
    if (after.status === 'error') return this.#crashed(after.error, message, receipt);
    if (after === before && effects.length === 0 && !knowsEvent(this.#home.behaviour.machine, message.type)) {
      this.#refuseUnknown(message, receipt);
      return handledWell;
    }
    if (effects.length === 0) {
      if (receipt !== undefined) this.#tell(receipt, done);
    } else {
      const crash = this.#perform(effects, message, receipt);
      if (crash !== undefined) return crash;
    }
    return after.status === 'done' ? ended : handledWell;
  }

  /** The effects of the start itself (entry actions). */
  performInitial(effects: readonly { readonly type: string }[]): Error | undefined {
    return effects.length === 0 ? undefined : this.#perform(effects, undefined, undefined)?.error;
  }

  /** The message of a deadline whose turn has come; undefined when it was moved or cleared meanwhile. */
  dueMessage(mail: DueMail): ActorMessage | undefined {
    if (this.#deadlines?.get(mail.name) !== mail.deadline || mail.deadline.armed) return undefined;
    this.#deadlines.delete(mail.name);
    const nowMs = this.#home.parts.clock.wallMs();
    const { behaviour } = this.#home;
    if (behaviour.onDeadline !== undefined) return behaviour.onDeadline(mail.name, nowMs, this);
    return { type: 'deadline.reached', name: mail.name, nowMs } as ActorMessage;
  }

  /** Nothing is armed, sent or held in its name from here on. */
  close(): void {
    this.#closed = true;
    for (const deadline of this.#deadlines?.values() ?? []) this.#home.parts.deadlines.disarm(deadline);
    this.#deadlines = undefined;
  }

  get heldReceipts(): number {
    if (this.#open instanceof Set) return this.#open.size;
    return this.#open === undefined ? 0 : 1;
  }

  /** Calls back when no receipt is held any more: at once, or after the last one. */
  whenSettled(task: () => void): void {
    if (this.heldReceipts === 0) {
      task();
      return;
    }
    this.#whenSettled ??= [];
    this.#whenSettled.push(task);
  }

  settleHeld(outcome: Outcome): void {
    const open = this.#open;
    if (open instanceof Set) for (const settlement of [...open]) settlement.settle(outcome);
    else open?.settle(outcome);
  }

  /** What it waits for, soonest first: wall times, as they are expected now. */
  waits(): readonly { readonly name: string; readonly atMs: number; readonly armedAtMs: number }[] {
    const { deadlines, clock } = this.#home.parts;
    const nowMs = clock.wallMs();
    const waits = [...(this.#deadlines ?? [])].map(([name, deadline]) => ({
      name,
      atMs: Math.round(nowMs + (deadlines.remainingMs(deadline) ?? 0)),
      armedAtMs: deadline.armedAtMs,
    }));
    return waits.sort((a, b) => a.atMs - b.atMs || (a.name < b.name ? -1 : 1));
  }

  #perform(
    effects: readonly { readonly type: string }[],
    message: ActorMessage | undefined,
    receipt: Receipt | undefined,
  ): Crash | undefined {
    this.#receipt = receipt;
    this.#performing = true;
    try {
      for (const effect of effects) this.#home.behaviour.perform(effect, this);
    } catch (thrown) {
      return this.#crashed(thrown, message, receipt);
    } finally {
      this.#performing = false;
      this.#receipt = undefined;
    }
    const settlement = this.#settlement;
    this.#settlement = undefined;
    if (settlement !== undefined) settlement.release(done);
    else if (receipt !== undefined) this.#tell(receipt, done);
    return undefined;
  }

  #crashed(thrown: unknown, message: ActorMessage | undefined, receipt: Receipt | undefined): Crash {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const outcome =
      message === undefined ? ({ type: 'fault', error } as const) : this.#home.crashOutcome(message, error);
    const settlement = this.#settlement;
    this.#settlement = undefined;
    if (settlement !== undefined) settlement.settle(outcome);
    else this.#tell(receipt, outcome);
    return { type: 'crashed', error, poison: outcome.type === 'poison' };
  }

  #refuseUnknown(message: ActorMessage, receipt: Receipt | undefined): void {
    const fact: Omit<Extract<LifecycleFact, { type: 'unknownMessage' }>, 'atMs' | 'actor'> = {
      type: 'unknownMessage',
      message: message.type,
    };
    this.#home.parts.facts.tell(this.id, fact);
    const { machine } = this.#home.behaviour;
    const error = new Error(`${this.id} (${machine.id}) has no handler for the message ${message.type}`);
    this.#tell(receipt, { type: 'fault', error });
  }

  #addOpen(settlement: Settlement): void {
    if (this.#open === undefined) this.#open = settlement;
    else if (this.#open instanceof Set) this.#open.add(settlement);
    else this.#open = new Set([this.#open, settlement]);
  }

  #settled(settlement: Settlement): void {
    if (this.#open instanceof Set) this.#open.delete(settlement);
    else if (this.#open === settlement) this.#open = undefined;
    if (this.heldReceipts > 0) return;
    this.#open = undefined;
    const tasks = this.#whenSettled;
    this.#whenSettled = undefined;
    for (const task of tasks ?? []) task();
  }

  #tell(receipt: Receipt | undefined, outcome: Outcome): void {
    tellReceipt(receipt, outcome, (error) => this.#reportReceipt(error));
  }

  #reportReceipt(error: unknown): void {
    this.#home.parts.faults.report(`a receipt of a message to ${this.id}`, error);
  }
}
