// A cell: the place of one actor, which outlives its restarts. It keeps the mailbox, gives the mail to the current life
// one message at a time, and reports to its supervisor how lives end.
import type { AnyActor, Snapshot } from 'xstate';
import { type ActorMaker, awaitOrigin, firstMessageOf, startActor } from './cell-start.ts';
import type { Child, ChildHost, ChildPhase } from './child.ts';
import type {
  ActorId,
  ActorMessage,
  Behaviour,
  ChildSpec,
  ExitReason,
  Origin,
  Receipt,
  Refusal,
  RestartType,
} from './contract.ts';
import { takeEffects } from './effect-logic.ts';
import { asError } from './facts.ts';
import type { TransitionWatch } from './inspection.ts';
import { type DueMail, dueType, type Handled, handledWell, Life, type LifeHome } from './life.ts';
import { defaultShutdownMs, defaultStartTimeoutMs, heldReceiptGraceMs } from './limits.ts';
import { type Letter, Mailbox } from './mailbox.ts';
import type { RuntimeParts } from './parts.ts';
import { PoisonWatch } from './poison-watch.ts';
import { refused } from './refusal.ts';
import { isFailure } from './restart-rule.ts';
import type { Runnable } from './run-queue.ts';
import { tellReceipt } from './settlement.ts';

/** What a cell needs of its supervisor: XState actors, and somebody to report to. */
export interface CellHost extends ChildHost, ActorMaker {
  stopActor(actor: AnyActor): void;
}

/** Told once when the current life of an actor ends, or at once when it has none. */
export type DeathListener = (reason: ExitReason) => void;

export class Cell implements Child, Runnable, LifeHome {
  readonly kind = 'actor';
  readonly spec: ChildSpec;
  readonly parts: RuntimeParts;
  /** Attached while somebody watches this actor; costs nothing else. */
  watch: TransitionWatch | undefined;
  readonly #host: CellHost;
  readonly #mailbox: Mailbox;
  #phase: ChildPhase = 'down';
  #generation = 0;
  #life: Life | undefined;
  /** The life whose cleanup and held receipts a halt still waits for. */
  #closing: Life | undefined;
  /** A life that ended by itself while it held receipts. */
  #lingering: Life | undefined;
  #scheduled = false;
  #busy = false;
  #refusesMail = false;
  #keepMail = true;
  /** Takes back an async `begin` that is under way. */
  #cancelStart: (() => void) | undefined;
  #whenHalted: (() => void)[] | undefined;
  #poison: PoisonWatch | undefined;
  #deathListeners: Set<DeathListener> | undefined;

  constructor(spec: ChildSpec, host: CellHost, parts: RuntimeParts) {
    this.spec = spec;
    this.parts = parts;
    this.#host = host;
    this.#mailbox = new Mailbox(spec.behaviour.mailbox);
  }

  get id(): ActorId {
    return this.spec.id;
  }
  get restart(): RestartType {
    return this.spec.restart;
  }
  get shutdownMs(): number {
    return this.spec.shutdownMs ?? defaultShutdownMs;
  }
  get behaviour(): Behaviour {
    return this.spec.behaviour;
  }
  get phase(): ChildPhase {
    return this.#phase;
  }
  get generation(): number {
    return this.#generation;
  }
  get life(): Life | undefined {
    return this.#life;
  }
  /** The supervisor it lives under. */
  get supervisor(): CellHost {
    return this.#host;
  }
  get mailboxDepth(): number {
    return this.#mailbox.size;
  }
  snapshot(): Snapshot<unknown> | undefined {
    return this.#life?.snapshot();
  }

  /** Into the mailbox, or refused with a reason; the receipt is told either way, sooner or later. */
  post(message: ActorMessage, receipt: Receipt | undefined): void {
    if (this.#refusesMail) {
      this.#refuse(receipt, this.#phase === 'down' ? 'crashed' : 'stopped');
      return;
    }
    const result = this.#mailbox.post(message, receipt);
    if (result !== 'accepted') this.#overflowed(result === 'full' ? { message, receipt } : result.dropped);
    this.#wake();
  }

  postDue(mail: DueMail): void {
    if (this.#phase !== 'up') return;
    this.#mailbox.force(mail);
    this.#wake();
  }

  /** Takes back a message that still waits; its receipt is not told. */
  withdraw(receipt: Receipt): boolean {
    return this.#mailbox.withdraw(receipt);
  }

  begin(): void {
    if (this.#phase !== 'down') throw new Error(`${this.id} cannot begin: it is ${this.#phase}`);
    this.#phase = 'starting';
    this.#generation += 1;
    this.#refusesMail = false;
    try {
      const origin = this.behaviour.begin();
      if (origin instanceof Promise) this.#await(origin);
      else this.#launch(origin);
    } catch (error) {
      this.#failStart({ type: 'abnormal', error: asError(error) });
    }
  }

  /** One message; true when more wait. */
  runOne(): boolean {
    if (this.#phase === 'up') {
      const letter = this.#mailbox.take();
      if (letter !== undefined) this.#handle(letter);
    }
    this.#scheduled = this.#phase === 'up' && this.#mailbox.size > 0;
    return this.#scheduled;
  }

  halt(keepMail: boolean, done: () => void): void {
    if (this.#phase === 'gone') {
      done();
      return;
    }
    const wasHalting = this.#phase === 'halting';
    this.#keepMail = keepMail && (this.#keepMail || !wasHalting);
    if (!this.#keepMail) this.#refuseAll('stopped');
    this.#whenHalted ??= [];
    this.#whenHalted.push(done);
    if (wasHalting) return;
    const life = this.#life;
    this.#phase = 'halting';
    this.#cancelStart?.();
    this.#cancelStart = undefined;
    if (life === undefined) this.#awaitSettled(this.#lingering, { type: 'shutdown' });
    // Stopped by its own effect: the message in hand is finished first.
    else if (!this.#busy) this.#haltLife(life);
  }

  abandon(afterMs: number): void {
    if (this.#phase !== 'halting') return;
    const life = this.#closing;
    this.#halted({ type: 'killed', afterMs });
    life?.settleHeld(refused('stopped', this.id));
  }

  refuseMail(): void {
    this.#refuseAll('crashed');
  }

  retire(): void {
    this.#phase = 'gone';
    this.#refuseAll('stopped');
  }

  /** Calls back once, when the current life ends; returns the way to stop waiting for it. */
  onDeath(listener: DeathListener): () => void {
    this.#deathListeners ??= new Set();
    this.#deathListeners.add(listener);
    return () => this.#deathListeners?.delete(listener);
  }

  // Starting

  #await(origin: Promise<Origin>): void {
    const timeoutMs = this.spec.startTimeoutMs ?? defaultStartTimeoutMs;
    this.#cancelStart = awaitOrigin(
      origin,
      { timeoutMs, deadlines: this.parts.deadlines },
      {
        found: (found) => {
          this.#cancelStart = undefined;
          this.#launch(found);
        },
        failed: (reason) => this.#failStart(reason),
      },
    );
  }

  #failStart(reason: ExitReason): void {
    this.#cancelStart = undefined;
    this.#phase = 'down';
    this.#host.childEnded(this, reason, false);
  }

  #launch(origin: Origin): void {
    const actor = startActor(this.#host, this.behaviour, this.id, origin);
    if (actor instanceof Error) {
      this.#failStart({ type: 'abnormal', error: actor });
      return;
    }
    const life = new Life(this, this.#generation, actor);
    this.#life = life;
    this.#phase = 'up';
    this.parts.facts.tell(this.id, { type: 'started', generation: this.#generation });
    this.#busy = true;
    const error = life.performInitial(takeEffects()) ?? this.#putFirstMessage(origin);
    this.#busy = false;
    if (error !== undefined) {
      this.#lifeEnded(life, { type: 'abnormal', error }, false);
      return;
    }
    if (life.snapshot().status === 'done') {
      this.#lifeEnded(life, { type: 'normal' }, false);
      return;
    }
    if (this.phase === 'halting') {
      this.#haltLife(life);
      return;
    }
    this.#host.childStarted(this);
    this.#wake();
  }

  #putFirstMessage(origin: Origin): Error | undefined {
    const first = firstMessageOf(this.behaviour, origin);
    if (first instanceof Error) return first;
    if (first !== undefined) this.#mailbox.putFirst(first);
    return undefined;
  }

  // Handling mail

  #wake(): void {
    if (this.#scheduled || this.#phase !== 'up' || this.#mailbox.size === 0) return;
    this.#scheduled = true;
    this.parts.queue.schedule(this);
  }

  #handle(letter: Letter): void {
    const life = this.#life as Life;
    this.#busy = true;
    const handled = this.#handleBy(life, letter);
    this.#busy = false;
    if (handled.type === 'crashed') this.#crashed(life, letter.message, handled.error);
    else if (handled.type === 'ended') this.#lifeEnded(life, { type: 'normal' }, false);
    else if (this.#phase === 'halting') this.#haltLife(life);
  }

  #handleBy(life: Life, { message, receipt }: Letter): Handled {
    if (message.type === dueType) return this.#handleDue(life, message as DueMail);
    if (this.#poison?.isParked(message) !== true) return life.handle(message, receipt, this.watch);
    this.#refuse(receipt, 'deadLetter', 'is parked as poison');
    return handledWell;
  }

  #handleDue(life: Life, mail: DueMail): Handled {
    try {
      const message = life.dueMessage(mail);
      return message === undefined ? handledWell : life.handle(message, undefined, this.watch);
    } catch (error) {
      return { type: 'crashed', error: asError(error) };
    }
  }

  #crashed(life: Life, message: ActorMessage, error: Error): void {
    this.#poison ??= new PoisonWatch(this.behaviour);
    const poison = this.#poison.crashedOn(message);
    if (poison) this.parts.facts.tell(this.id, { type: 'poisonParked', message: message.type, error });
    this.#lifeEnded(life, { type: 'abnormal', error }, poison);
  }

  /** A life ended that nobody asked to end. */
  #lifeEnded(life: Life, reason: ExitReason, poison: boolean): void {
    if (this.#phase === 'halting') {
      this.#haltLife(life);
      return;
    }
    this.#closeLife(life, reason);
    if (life.heldReceipts > 0) this.#linger(life, reason);
    this.#phase = 'down';
    this.#host.childEnded(this, reason, poison);
  }

  /** Whoever holds its receipts may be lost with it: their senders get an answer in bounded time, whatever it is. */
  #linger(life: Life, reason: ExitReason): void {
    const [why, graceMs] = isFailure(reason)
      ? (['crashed', heldReceiptGraceMs] as const)
      : (['stopped', this.shutdownMs] as const);
    const timer = this.parts.deadlines.after(graceMs, () => life.settleHeld(refused(why, this.id)));
    this.#lingering = life;
    life.whenSettled(() => {
      this.parts.deadlines.disarm(timer);
      if (this.#lingering === life) this.#lingering = undefined;
    });
  }

  // Stopping

  #haltLife(life: Life): void {
    const reason: ExitReason = { type: 'shutdown' };
    this.#closing = life;
    const cleanup = this.#closeLife(life, reason);
    // Abandoned meanwhile: another life may have begun, which a late cleanup must not end.
    const settled = (): void => {
      if (this.#closing === life) this.#awaitSettled(life, reason);
    };
    if (cleanup === undefined) settled();
    else cleanup.then(settled);
  }

  #awaitSettled(life: Life | undefined, reason: ExitReason): void {
    if (life === undefined) {
      this.#halted(reason);
      return;
    }
    this.#closing = life;
    life.whenSettled(() => {
      if (this.#closing === life) this.#halted(reason);
    });
  }

  /** Nothing of the life goes on after this but its cleanup, whose end the promise tells. */
  #closeLife(life: Life, reason: ExitReason): Promise<void> | undefined {
    life.close();
    this.#life = undefined;
    const report = (error: unknown): void => this.parts.faults.report(`the cleanup of ${this.id}`, error);
    let cleanup: Promise<void> | undefined;
    try {
      const ending = this.behaviour.end?.(life, reason);
      if (ending instanceof Promise) cleanup = ending.catch(report);
    } catch (error) {
      report(error);
    }
    this.#host.stopActor(life.actor);
    this.#tellDeath(reason);
    return cleanup;
  }

  #halted(reason: ExitReason): void {
    this.#phase = this.#keepMail ? 'down' : 'gone';
    this.#keepMail = true;
    this.#closing = undefined;
    this.parts.facts.tell(this.id, { type: 'stopped', reason });
    const waiting = this.#whenHalted ?? [];
    this.#whenHalted = undefined;
    for (const done of waiting) done();
  }

  #tellDeath(reason: ExitReason): void {
    const listeners = this.#deathListeners;
    if (listeners === undefined) return;
    this.#deathListeners = undefined;
    for (const listener of listeners) this.parts.queue.post(() => listener(reason));
  }

  // Refusing

  #overflowed(letter: Letter): void {
    this.parts.facts.tell(this.id, { type: 'mailboxFull', rule: this.behaviour.mailbox.overflow });
    this.#refuse(letter.receipt, 'busy');
  }

  #refuseAll(why: Refusal): void {
    this.#refusesMail = true;
    for (const letter of this.#mailbox.takeAll()) this.#refuse(letter.receipt, why);
  }

  #refuse(receipt: Receipt | undefined, why: Refusal, detail?: string): void {
    const report = (error: unknown): void =>
      this.parts.faults.report(`a receipt of a message to ${this.id}`, error);
    tellReceipt(receipt, refused(why, this.id, detail), report);
  }
}
