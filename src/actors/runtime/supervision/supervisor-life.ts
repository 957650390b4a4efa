// One life of a supervisor, from its start to the halt of its children: the root of an XState system of its own, and the
// decisions about children that end. Every decision is taken in a transition of the root; restarts are always scheduled,
// never done on the spot. This is the only file that creates XState actors.
import { type AnyActor, createActor } from 'xstate';
import type { EffectLogic } from '../cell/effect-logic.ts';
import type { ActorId, Origin, SupervisorSpec } from '../contract.ts';
import { asError } from '../inspection/facts.ts';
import { mailKeptMs } from '../limits.ts';
import type { RuntimeServices } from '../runtime-services.ts';
import type { Child, ChildPhase } from './child.ts';
import { createFailurePolicy, type FailurePolicy, type Verdict } from './failure-policy.ts';
import { affectedBy, decideRestart } from './restart-rule.ts';
import { SiblingRestart } from './sibling-restart.ts';
import { errorOf, note, type Slot } from './slot.ts';
import type { Slots } from './slots.ts';
import { StartSequence } from './start-sequence.ts';
import {
  type SupervisorCore,
  type SupervisorEvent,
  type SupervisorScope,
  supervisorLogic,
} from './supervisor-logic.ts';

/** What a life needs of the supervisor that lives it. */
export interface SupervisorHome {
  readonly id: ActorId;
  readonly spec: SupervisorSpec;
  readonly parts: RuntimeServices;
  readonly slots: Slots;
  readonly phase: ChildPhase;
  /** The children of the first start are up, in order, or on their way back. */
  childrenStarted(): void;
  /** It gives up: too many failures, or a fault of its own. */
  gaveUp(error: Error): void;
}

type ChildEnded = Extract<SupervisorEvent, { type: 'child.ended' }>;

export class SupervisorLife implements SupervisorCore {
  readonly #home: SupervisorHome;
  readonly #actor: AnyActor;
  #scope: SupervisorScope | undefined;
  #policy: FailurePolicy | undefined;
  #sequence: StartSequence | undefined;
  #siblings: SiblingRestart | undefined;
  #closed = false;

  constructor(home: SupervisorHome) {
    this.#home = home;
    this.#actor = createActor(supervisorLogic(this), { id: home.id });
  }

  /** Starts every child that is there, in order. */
  start(): void {
    this.#actor.start();
    this.#startInOrder(this.#home.slots.all());
    this.send({ type: 'start.continued' });
  }

  send(event: SupervisorEvent): void {
    if (!this.#closed) this.#actor.send(event);
  }

  /** It decides nothing any more; its children may still be on their way out. */
  close(): void {
    this.#closed = true;
    this.#sequence = undefined;
    this.#siblings?.cancel();
    this.#home.slots.cancelRetries();
  }

  /** After the last child: the system ends. */
  end(): void {
    this.#actor.stop();
  }

  // What its children need

  createActor(logic: EffectLogic, id: ActorId, origin: Origin): AnyActor {
    const { self } = this.#scope as SupervisorScope;
    return 'snapshot' in origin
      ? createActor(logic, { id, parent: self, snapshot: origin.snapshot })
      : createActor(logic, { id, parent: self, input: origin.input as never });
  }

  stopActor(actor: AnyActor): void {
    try {
      this.#scope?.stopChild(actor);
    } catch (error) {
      this.#home.parts.faults.report(`stopping the machine of ${actor.id}`, error);
    }
  }

  childStarted(child: Child): void {
    if (this.#sequence?.isWaitingFor(child) === true) this.send({ type: 'start.continued' });
  }

  /** It went down with siblings it depends on: it comes back with them, not before. */
  awaitsSiblings(slot: Slot): boolean {
    return this.#siblings?.awaits(slot) === true;
  }

  childRemoved(): void {
    if (this.#sequence !== undefined) this.send({ type: 'start.continued' });
  }

  // SupervisorCore

  attach(scope: SupervisorScope): void {
    this.#scope = scope;
  }

  state(): { value: ChildPhase; context: { children: number } } {
    return { value: this.#home.phase, context: { children: this.#home.slots.size } };
  }

  handle(event: SupervisorEvent): void {
    if (this.#closed) return;
    try {
      if (event.type === 'start.continued') this.#continueStart();
      else if (event.type === 'child.ended') this.#ended(event);
      else if (event.type === 'retry.due') this.#retry(event.child);
      else if (event.type === 'group.halted') this.#siblings?.halted(event.round);
      else this.#siblingsDue(event.round);
    } catch (error) {
      this.#home.parts.faults.report(`supervisor ${this.#home.id} (${event.type})`, error);
      this.#home.gaveUp(asError(error));
    }
  }

  // Starting in order

  #startInOrder(inOrder: readonly Slot[]): void {
    const { slots, spec } = this.#home;
    this.#sequence = new StartSequence(
      inOrder.map((slot) => slot.child),
      {
        isWanted: (child) => slots.of(child) !== undefined,
        skipsFailed: spec.strategy === 'one_for_one',
      },
    );
  }

  #continueStart(): void {
    const state = this.#sequence?.advance();
    if (state === 'pausing') this.#home.parts.queue.post(() => this.send({ type: 'start.continued' }));
    if (state !== 'done') return;
    this.#sequence = undefined;
    if (this.#home.phase === 'starting') this.#home.childrenStarted();
  }

  // A child has ended

  #ended(event: ChildEnded): void {
    const { child, generation, reason } = event;
    const { slots, parts, spec } = this.#home;
    const slot = slots.of(child);
    const isStale = child.generation !== generation || child.phase !== 'down';
    if (slot === undefined || isStale || slot.leaving) return;
    const decision = decideRestart(child.restart, reason, spec.strategy);
    if (decision.type === 'remove') {
      slots.remove(slot);
      parts.facts.tell(child.id, { type: 'stopped', reason });
    } else {
      const verdict = this.#judge(slot, event);
      if (verdict.type === 'collapse') {
        this.#home.gaveUp(errorOf(reason));
        return;
      }
      if (verdict.inMs > mailKeptMs) child.refuseMail();
      if (decision.scope === 'self') this.#retryIn(slot, verdict.inMs);
      else this.#takeDown(affectedBy(slot, slots.all(), decision.scope), verdict.inMs);
    }
    this.#continueStart();
  }

  /** Counts and notes the failure, and tells what follows from it. */
  #judge(slot: Slot, { reason, poison }: ChildEnded): Verdict {
    const { clock, random } = this.#home.parts;
    const error = errorOf(reason);
    const nowMs = clock.monotonicMs();
    const ranMs = slot.upSinceMs === undefined ? 0 : nowMs - slot.upSinceMs;
    slot.upSinceMs = undefined;
    this.#policy ??= createFailurePolicy(this.#home.spec, random);
    const childCount = this.#home.slots.size;
    const { id } = slot.child;
    const verdict = this.#policy.judge({ id, record: slot, nowMs, ranMs, poison, childCount });
    note(slot, clock.wallMs(), error);
    this.#announce(id, verdict, error);
    return verdict;
  }

  #announce(id: ActorId, verdict: Verdict, error: Error): void {
    const { facts } = this.#home.parts;
    if (verdict.type === 'retry') {
      facts.tell(id, { type: 'restarting', attempt: verdict.attempt, inMs: verdict.inMs, error });
    } else if (verdict.type === 'quarantine') {
      facts.tell(id, { type: 'quarantined', failures: verdict.failures, error });
    } else {
      const { restarts, periodMs } = verdict;
      facts.tell(this.#home.id, { type: 'intensityExceeded', restarts, periodMs });
    }
  }

  #retryIn(slot: Slot, delayMs: number): void {
    this.#home.slots.retryIn(slot, delayMs, () => this.send({ type: 'retry.due', child: slot.child }));
  }

  #retry(child: Child): void {
    const slot = this.#home.slots.of(child);
    if (slot === undefined || child.phase !== 'down') return;
    slot.retry = undefined;
    slot.restarts += 1;
    child.begin();
  }

  #takeDown(slots: readonly Slot[], delayMs: number): void {
    this.#sequence = undefined;
    this.#siblings ??= new SiblingRestart({
      slots: this.#home.slots,
      deadlines: this.#home.parts.deadlines,
      tell: (event) => this.send(event),
    });
    this.#siblings.takeDown(slots, delayMs);
  }

  #siblingsDue(round: number): void {
    const slots = this.#siblings?.due(round);
    if (slots === undefined) return;
    for (const slot of slots) slot.restarts += 1;
    this.#startInOrder(slots);
    this.#continueStart();
  }
}
