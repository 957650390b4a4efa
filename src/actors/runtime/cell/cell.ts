// A cell: the place of one actor, which outlives its restarts. It keeps the mailbox, gives the mail to the current life
// one message at a time, and reports to its supervisor how lives end.
import type { AnyActor, Snapshot } from 'xstate';
import { busy } from '../busy.ts';
import type {
  ActorId,
  ActorMessage,
  Behaviour,
  ChildSpec,
  ExitReason,
  Origin,
  Outcome,
  Receipt,
  RestartType,
} from '../contract.ts';
import { asError } from '../inspection/facts.ts';
import type { TransitionWatch } from '../inspection/inspection.ts';
import { defaultShutdownMs, defaultStartTimeoutMs } from '../limits.ts';
import type { Runnable } from '../load/run-queue.ts';
import type { Addressee } from '../registry.ts';
import type { RuntimeServices } from '../runtime-services.ts';
import type { Child, ChildHost, ChildPhase } from '../supervision/child.ts';
import type { ChildInfo, FailureNote } from '../supervision/slot.ts';
import { type DeathListener, DeathListeners, endLife, settleInTime } from './cell-end.ts';
import { type ActorMaker, awaitOrigin, firstMessageOf, startActor } from './cell-start.ts';
import { takeEffects } from './effect-logic.ts';
import { Inbox } from './inbox.ts';
import { type DueMail, dueType, type Handled, handledWell, Life, type LifeHome } from './life.ts';
import type { Letter } from './mailbox.ts';

/** What a cell needs of its supervisor: XState actors, somebody to report to, and what is remembered of it. */
export interface CellHost extends ChildHost, ActorMaker {
  readonly id: ActorId;
  stopActor(actor: AnyActor): void;
  child(id: ActorId): ChildInfo | undefined;
  failuresOf(id: ActorId): readonly FailureNote[];
}

export class Cell implements Child, Addressee, Runnable, LifeHome {
  readonly kind = 'actor';
  readonly spec: ChildSpec;
  readonly parts: RuntimeServices;
  /** Attached while somebody watches this actor; costs nothing else. */
  watch: TransitionWatch | undefined;
  readonly #host: CellHost;
  readonly #inbox: Inbox;
  #phase: ChildPhase = 'down';
  #generation = 0;
  #life: Life | undefined;
  /** The life whose cleanup and held receipts a halt still waits for. */
  #closing: Life | undefined;
  /** A life that ended by itself while it held receipts. */
  #lingering: Life | undefined;
  #scheduled = false;
  #busy = false;
  #paused = false;
  #keepMail = true;
  /** Takes back an async `begin` that is under way. */
  #cancelStart: (() => void) | undefined;
  #whenHalted: (() => void)[] | undefined;
  #deathListeners: DeathListeners | undefined;

  constructor(spec: ChildSpec, host: CellHost, parts: RuntimeServices) {
    this.spec = spec;
    this.parts = parts;
    this.#host = host;
    this.#inbox = new Inbox(spec.id, spec.behaviour, parts);
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
  get isAlive(): boolean {
    return this.#life !== undefined;
  }
  /** The supervisor it lives under. */
  get supervisor(): CellHost {
    return this.#host;
  }
  get mailboxDepth(): number {
    return this.#inbox.size;
  }
  snapshot(): Snapshot<unknown> | undefined {
    return this.#life?.snapshot();
  }

  /** Into the mailbox, or refused with a reason; the receipt is called either way, sooner or later. */
  post(message: ActorMessage, receipt: Receipt | undefined): void {
    this.#inbox.post(message, receipt);
    this.#wake();
  }

  postDue(mail: DueMail): void {
    if (this.#phase !== 'up') return;
    this.#inbox.force(mail);
    this.#wake();
  }

  /** Takes back a message that still waits; its receipt is not told. */
  withdraw(receipt: Receipt): boolean {
    return this.#inbox.withdraw(receipt);
  }

  get isPaused(): boolean {
    return this.#paused;
  }

  /** Mail waits, deadlines that come too, until it goes on. It stays so over a restart; it can be stopped anyway. */
  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#wake();
  }

  begin(): void {
    if (this.#phase !== 'down') throw new Error(`${this.id} cannot begin: it is ${this.#phase}`);
    this.#phase = 'starting';
    this.#generation += 1;
    this.#inbox.open();
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
    if (this.#takesMail) {
      const letter = this.#inbox.take();
      if (letter !== undefined) this.#handle(letter);
    }
    this.#scheduled = this.#takesMail && this.#inbox.size > 0;
    return this.#scheduled;
  }

  halt(keepMail: boolean, done: () => void): void {
    if (this.#phase === 'gone') {
      done();
      return;
    }
    const wasHalting = this.#phase === 'halting';
    this.#keepMail = keepMail && (this.#keepMail || !wasHalting);
    if (!this.#keepMail) this.#inbox.close('stopped');
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
    life?.settleHeld(busy('stopped', this.id));
  }

  refuseMail(): void {
    this.#inbox.close('restarting');
  }

  retire(): void {
    this.#phase = 'gone';
    this.#inbox.close('stopped');
  }

  /** Calls back once, when the current life ends; returns the way to stop waiting for it. */
  onDeath(listener: DeathListener): () => void {
    this.#deathListeners ??= new DeathListeners();
    return this.#deathListeners.add(listener);
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
    if (first !== undefined) this.#inbox.putFirst(first);
    return undefined;
  }

  // Handling mail

  get #takesMail(): boolean {
    return this.#phase === 'up' && !this.#paused;
  }

  #wake(): void {
    if (this.#scheduled || !this.#takesMail || this.#inbox.size === 0) return;
    this.#scheduled = true;
    this.parts.queue.schedule(this);
  }

  #handle(letter: Letter): void {
    const life = this.#life as Life;
    this.#busy = true;
    const handled = this.#handleBy(life, letter);
    this.#busy = false;
    if (handled.type === 'crashed') this.#crashed(life, handled);
    else if (handled.type === 'ended') this.#lifeEnded(life, { type: 'normal' }, false);
    else if (this.#phase === 'halting') this.#haltLife(life);
  }

  #handleBy(life: Life, letter: Letter): Handled {
    const { message, receipt } = letter;
    if (message.type === dueType) return this.#handleDue(life, message as DueMail);
    if (this.#inbox.refuseParked(letter)) return handledWell;
    const handled = life.handle(message, receipt, this.watch);
    if (handled.type !== 'crashed') this.#inbox.handled(message);
    return handled;
  }

  lifeFailed(life: Life, error: Error): void {
    if (this.#life !== life || this.#phase !== 'up') return;
    if (this.#busy) throw new Error(`${this.id}: beginAgain was called while a message was handled`);
    this.#lifeEnded(life, { type: 'abnormal', error }, true);
  }

  crashOutcome(message: ActorMessage, error: Error): Outcome {
    return this.#inbox.crashedOn(message, error);
  }

  #handleDue(life: Life, mail: DueMail): Handled {
    try {
      const message = life.dueMessage(mail);
      return message === undefined ? handledWell : life.handle(message, undefined, this.watch);
    } catch (error) {
      return { type: 'crashed', error: asError(error), poison: false };
    }
  }

  #crashed(life: Life, { error, poison }: Extract<Handled, { type: 'crashed' }>): void {
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

  #linger(life: Life, reason: ExitReason): void {
    this.#lingering = life;
    settleInTime(life, reason, { shutdownMs: this.shutdownMs, deadlines: this.parts.deadlines }, () => {
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

  /** The promise tells when its cleanup is over. */
  #closeLife(life: Life, reason: ExitReason): Promise<void> | undefined {
    this.#life = undefined;
    const cleanup = endLife(life, this.behaviour, reason, this.parts.faults);
    this.#host.stopActor(life.actor);
    this.#deathListeners?.tell(reason, this.parts.queue);
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
}
