// Supervisors: who starts actors, notices their end, decides what happens then, and stops them in order.
//
// A supervisor is a place, as a cell is: it outlives its restarts. It admits children and lets them go, and takes part in
// the stop of the tree. What it decides while it runs is in supervisor-life.ts, its children are in slots.ts.
import type { AnyActor } from 'xstate';
import { Cell, type CellHost } from '../cell/cell.ts';
import type { EffectLogic } from '../cell/effect-logic.ts';
import type {
  ActorId,
  ChildSpec,
  ExitReason,
  Origin,
  RestartType,
  StartRefusal,
  StartResult,
  SupervisorSpec,
} from '../contract.ts';
import { ActorError } from '../errors.ts';
import type { WritableRegistry } from '../registry.ts';
import type { RuntimeServices } from '../runtime-services.ts';
import type { Child, ChildPhase } from './child.ts';
import { haltChild, haltInOrder } from './halting.ts';
import { type ChildInfo, type FailureNote, forgive, infoOf, type Slot } from './slot.ts';
import { type ChildCounts, Slots } from './slots.ts';
import { checkSpec, isSupervisorSpec } from './spec-check.ts';
import { type SupervisorHome, SupervisorLife } from './supervisor-life.ts';

/** What supervisors share beyond what cells do: each other. */
export interface SupervisorServices extends RuntimeServices {
  readonly registry: WritableRegistry<Cell>;
  /** Every supervisor that was created and not yet stopped for good. */
  readonly supervisors: Map<ActorId, Supervisor>;
}

export interface SupervisorOptions {
  /** Where it reports to; without one it is the top. */
  readonly parent?: Supervisor;
  /** For the top: told when it has given up. Its children are stopped by then. */
  readonly onExit?: (reason: ExitReason) => void;
}

export class Supervisor implements Child, CellHost, SupervisorHome {
  readonly kind = 'supervisor';
  readonly spec: SupervisorSpec;
  readonly restart: RestartType;
  readonly shutdownMs: number;
  readonly parts: SupervisorServices;
  readonly slots: Slots;
  readonly #options: SupervisorOptions;
  #phase: ChildPhase = 'down';
  #generation = 0;
  #life: SupervisorLife | undefined;
  #failure: Error | undefined;
  #keepMail = true;
  #whenHalted: (() => void)[] = [];
  #whenReady: { resolve: () => void; reject: (error: Error) => void }[] = [];

  constructor(parts: SupervisorServices, spec: SupervisorSpec, options: SupervisorOptions = {}) {
    this.spec = spec;
    this.restart = spec.restart ?? 'permanent';
    this.shutdownMs = spec.shutdownMs ?? Number.POSITIVE_INFINITY;
    this.parts = parts;
    this.slots = new Slots(parts);
    this.#options = options;
    parts.supervisors.set(spec.id, this);
    for (const child of spec.children ?? []) {
      const slot = this.#admit(child);
      if (!('started' in slot)) continue;
      this.retire();
      throw new TypeError(`supervisor ${spec.id}: the id ${child.id} is in use already`);
    }
  }

  get id(): ActorId {
    return this.spec.id;
  }
  get phase(): ChildPhase {
    return this.#phase;
  }
  get generation(): number {
    return this.#generation;
  }
  get parent(): Supervisor | undefined {
    return this.#options.parent;
  }
  get size(): number {
    return this.slots.size;
  }

  /** Starts an actor, at once if its `begin` is not async. An id that is in use anywhere is refused. */
  startChild(spec: ChildSpec): StartResult {
    const slot = this.#admit(spec);
    if ('started' in slot) return slot;
    this.#beginIfUp(slot);
    return { started: true };
  }

  startSupervisor(
    spec: SupervisorSpec,
  ): { readonly started: true; readonly supervisor: Supervisor } | StartRefusal {
    const slot = this.#admit(spec);
    if ('started' in slot) return slot;
    this.#beginIfUp(slot);
    return { started: true, supervisor: slot.child as Supervisor };
  }

  /** Stops a child for good and resolves when it is gone; its id is refused dead letters from now on. */
  stopChild(id: ActorId): Promise<void> {
    const slot = this.slots.get(id);
    if (slot === undefined) return Promise.resolve();
    slot.leaving = true;
    this.slots.unregister(slot);
    this.slots.cancelRetry(slot);
    return new Promise((resolve) => {
      haltChild(slot.child, { keepMail: false, deadlines: this.parts.deadlines }, () => {
        this.slots.forget(slot);
        resolve();
        this.#life?.childRemoved();
      });
    });
  }

  /**
   * Ends the child's life in good order and begins another, with its mail kept and its failures forgotten. One that is
   * down with its siblings comes back with them.
   */
  async restartChild(id: ActorId): Promise<void> {
    const slot = this.slots.get(id);
    if (slot === undefined || slot.leaving) throw new ActorError('notFound', `${this.id} has no child ${id}`);
    this.slots.cancelRetry(slot);
    forgive(slot);
    await new Promise<void>((resolve) => {
      haltChild(slot.child, { keepMail: true, deadlines: this.parts.deadlines }, resolve);
    });
    if (this.slots.get(id) !== slot || slot.leaving || slot.child.phase !== 'down') return;
    if (this.#life?.awaitsSiblings(slot) === true) return;
    slot.restarts += 1;
    this.#beginIfUp(slot);
  }

  /** Stops all children in reverse order of start, then itself. */
  stop(): Promise<void> {
    if (this.parent !== undefined) return this.parent.stopChild(this.id);
    return new Promise((resolve) =>
      haltChild(this, { keepMail: false, deadlines: this.parts.deadlines }, resolve),
    );
  }

  /** Resolves when every child of the first start in order is up or on its way back; rejects if it stops before. */
  ready(): Promise<void> {
    if (this.#phase === 'up') return Promise.resolve();
    return new Promise((resolve, reject) => this.#whenReady.push({ resolve, reject }));
  }

  children(): readonly ChildInfo[] {
    return this.slots.all().map(infoOf);
  }

  child(id: ActorId): ChildInfo | undefined {
    const slot = this.slots.get(id);
    return slot === undefined ? undefined : infoOf(slot);
  }

  /** The last failures of a child, oldest first. */
  failuresOf(id: ActorId): readonly FailureNote[] {
    return this.slots.get(id)?.notes ?? [];
  }

  counts(): ChildCounts {
    return this.slots.counts();
  }

  // As a child of the supervisor above

  begin(): void {
    this.#generation += 1;
    this.#phase = 'starting';
    this.#failure = undefined;
    this.slots.forgiveAll();
    this.#life = new SupervisorLife(this);
    this.#life.start();
  }

  halt(keepMail: boolean, done: () => void): void {
    const wasHalting = this.#phase === 'halting';
    if (this.#phase === 'gone') {
      done();
      return;
    }
    this.#keepMail = keepMail && (this.#keepMail || !wasHalting);
    if (!keepMail) this.slots.unregisterAll();
    this.#whenHalted.push(done);
    if (!wasHalting) this.#haltChildren(this.#keepMail);
  }

  abandon(afterMs: number): void {
    this.parts.log.warn(
      { actor: this.id, afterMs },
      `abandoned ${this.id}: still stopping after ${afterMs} ms`,
    );
    for (const child of this.slots.children()) child.abandon(afterMs);
  }

  refuseMail(): void {
    for (const child of this.slots.children()) child.refuseMail();
  }

  retire(): void {
    this.slots.removeAll();
    this.#leave();
  }

  // As the host of its children

  createActor(logic: EffectLogic, id: ActorId, origin: Origin): AnyActor {
    return (this.#life as SupervisorLife).createActor(logic, id, origin);
  }

  stopActor(actor: AnyActor): void {
    this.#life?.stopActor(actor);
  }

  childStarted(child: Child): void {
    const slot = this.slots.get(child.id);
    if (slot !== undefined) slot.upSinceMs = this.parts.clock.monotonicMs();
    this.#life?.childStarted(child);
  }

  childEnded(child: Child, reason: ExitReason, poison: boolean): void {
    this.#life?.send({ type: 'child.ended', child, generation: child.generation, reason, poison });
  }

  // As the home of its life

  childrenStarted(): void {
    this.#phase = 'up';
    this.parts.facts.tell(this.id, { type: 'started', generation: this.#generation });
    for (const { resolve } of this.#whenReady.splice(0)) resolve();
    this.parent?.childStarted(this);
  }

  /** Stops everything below, then reports its own failure: the supervisor above decides. */
  gaveUp(error: Error): void {
    if (this.#phase === 'halting' || this.#phase === 'gone') return;
    this.#failure = error;
    this.#haltChildren(true);
  }

  // Admitting

  #admit(spec: ChildSpec | SupervisorSpec): Slot | StartRefusal {
    checkSpec(spec);
    const { registry, supervisors, facts } = this.parts;
    const isStopping = this.#phase === 'gone' || (this.#phase === 'halting' && !this.#keepMail);
    const known = this.slots.get(spec.id);
    if (isStopping || known?.leaving === true) return { started: false, why: 'stopping' };
    if (known !== undefined || registry.has(spec.id) || supervisors.has(spec.id)) {
      facts.tell(spec.id, { type: 'duplicateId' });
      return { started: false, why: 'duplicateId' };
    }
    return isSupervisorSpec(spec)
      ? this.slots.addSupervisor(new Supervisor(this.parts, spec, { parent: this }))
      : this.slots.addActor(new Cell(spec, this, this.parts));
  }

  /** Otherwise it waits for the supervisor's own start, with its mail. */
  #beginIfUp(slot: Slot): void {
    if (this.#phase === 'up' || this.#phase === 'starting') slot.child.begin();
  }

  // Ending

  #haltChildren(keepMail: boolean): void {
    this.#phase = 'halting';
    this.#life?.close();
    const parallel = this.spec.whenFailing === 'quarantine';
    const { deadlines } = this.parts;
    haltInOrder(this.slots.children(), { keepMail, parallel, deadlines }, () => this.#halted(keepMail));
  }

  #halted(keptMail: boolean): void {
    // Asked to stop for good while it was failing: the children that wait for a restart will not get one.
    if (keptMail && !this.#keepMail) {
      this.#haltChildren(false);
      return;
    }
    this.#life?.end();
    this.#life = undefined;
    const failure = this.#failure;
    const asked = this.#whenHalted.splice(0);
    this.slots.removeTemporary();
    if (this.#keepMail) this.#phase = 'down';
    else this.#leave();
    this.#keepMail = true;
    const reason: ExitReason =
      failure === undefined ? { type: 'shutdown' } : { type: 'abnormal', error: failure };
    if (asked.length > 0 || failure === undefined)
      this.parts.facts.tell(this.id, { type: 'stopped', reason });
    for (const done of asked) done();
    if (asked.length === 0 && failure !== undefined) this.#reportFailure(reason);
  }

  #reportFailure(reason: ExitReason): void {
    if (this.parent !== undefined) {
      this.parent.childEnded(this, reason, false);
      return;
    }
    this.retire();
    this.parts.facts.tell(this.id, { type: 'stopped', reason });
    this.#options.onExit?.(reason);
  }

  #leave(): void {
    this.#phase = 'gone';
    this.parts.supervisors.delete(this.id);
    const error = new ActorError('unavailable', `${this.id} was stopped before it was ready`);
    for (const { reject } of this.#whenReady.splice(0)) reject(error);
  }
}
