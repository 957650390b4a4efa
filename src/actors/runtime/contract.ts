// The words of the actor runtime: what an actor is started from, how it is spoken to, what it leaves behind.
import type { AnyStateMachine, Snapshot } from 'xstate';
import type { Receipt } from './outcome.ts';
import type { Candidate } from './statechart/explain.ts';

export type { Outcome, Receipt } from './outcome.ts';

/** A stable path that outlives restarts: family, colon, key, e.g. `check:default/web-01/cpu`. */
export type ActorId = string;

export interface ActorMessage {
  readonly type: string;
}

/** What to do with a message that finds the mailbox full. */
export type OverflowRule = 'refuse' | 'dropOldest' | 'coalesce';

export interface MailboxPolicy {
  readonly capacity: number;
  readonly overflow: OverflowRule;
  /** For `coalesce`: messages with the same key replace each other when the mailbox is full. Default: the type. */
  readonly coalesceKey?: (message: ActorMessage) => string;
}

/** permanent: always restarted; transient: after a failure only; temporary: never. */
export type RestartType = 'permanent' | 'transient' | 'temporary';

export type ExitReason =
  | { readonly type: 'normal' }
  | { readonly type: 'shutdown' }
  | { readonly type: 'abnormal'; readonly error: Error }
  | { readonly type: 'killed'; readonly afterMs: number };

/** How an actor begins: fresh from input, or from the durable snapshot of an earlier life. */
export type Origin = { readonly input: unknown } | { readonly snapshot: Snapshot<unknown> };

/** A live actor as its behaviour sees it while performing effects. */
export interface LiveActor {
  readonly id: ActorId;
  /** Counts restarts; what was armed in an earlier generation is stale. */
  readonly generation: number;
  /** The XState snapshot after the transition that asked for the effects. */
  snapshot(): Snapshot<unknown>;
  /** Sends to this actor itself, through its mailbox. */
  tell(message: ActorMessage, receipt?: Receipt): void;
  /**
   * Waits until the wall time `atMs`; a second call of the same name moves it. `forgiving`: it measures somebody's
   * silence, and a pause of this process is added to it. `anchor: 'wall'`: it follows the wall clock when that is set;
   * set back, it comes at once, before its time, so that the actor plans again. Otherwise it counts elapsed time.
   */
  setDeadline(
    name: string,
    atMs: number,
    options?: { readonly forgiving?: boolean; readonly anchor?: 'wall' | 'elapsed' },
  ): void;
  clearDeadline(name: string): void;
  /**
   * Holds the current message's receipt open until the returned function is called; outcomes other than `done` win.
   * A message whose effects take no hold is settled as soon as its effects are performed.
   */
  holdReceipt(): Receipt;
  /**
   * Ends this life and begins another one from the durable state, after the shortest back-off: what is in memory can't be
   * kept. Not to be called while an effect is performed: throw there. The message that led here is blamed, not the actor.
   */
  beginAgain(error: Error): void;
}

/**
 * What makes a machine live: where it starts from and who does its effects. The machine stays pure; `perform` is the
 * only place that touches the world.
 */
export interface Behaviour<TEffect extends { readonly type: string } = { readonly type: string }> {
  readonly machine: AnyStateMachine;
  readonly mailbox: MailboxPolicy;
  /** Called at every start and restart: a restart resumes from the last durable state, never from the crashed one. */
  begin(): Origin | Promise<Origin>;
  /** The first message of a life, if it needs one (re-arming, re-delivering). */
  firstMessage?(origin: Origin): ActorMessage | undefined;
  /** One emitted effect, in order, after its transition. A throw here is a crash of the actor. */
  perform(effect: TEffect, actor: LiveActor): void;
  /**
   * The message a deadline that has come becomes; called when its turn in the mailbox comes, so what it adds is fresh.
   * Default `{type: 'deadline.reached', name, nowMs}`; `nowMs` is wall time. Undefined: nothing is delivered.
   */
  onDeadline?(name: string, nowMs: number, actor: LiveActor): ActorMessage | undefined;
  /** Cleanup when a life ends (not after a crash of the process); awaited at most `shutdownMs`. */
  readonly end?: (actor: LiveActor, reason: ExitReason) => void | Promise<void>;
  /**
   * What makes two messages the same when looking for poison. Default: `message.event.id` if it is a string, else the
   * message object itself.
   */
  messageKey?(message: ActorMessage): string | undefined;
}

export interface ChildSpec {
  readonly id: ActorId;
  readonly restart: RestartType;
  readonly behaviour: Behaviour;
  /** How long an awaited stop may take before the child is abandoned and named in the log. Default 5,000 ms. */
  readonly shutdownMs?: number;
  /** How long an async `begin` may take before the start counts as failed. Default 30,000 ms. */
  readonly startTimeoutMs?: number;
}

/** one_for_one: only the failed child; one_for_all: every child; rest_for_one: it and those started after it. */
export type Strategy = 'one_for_one' | 'one_for_all' | 'rest_for_one';

export interface SupervisorSpec {
  readonly id: ActorId;
  readonly strategy: Strategy;
  /** As a child of another supervisor. Default permanent. */
  readonly restart?: RestartType;
  /**
   * collapse (default): more than `intensity` restarts in `periodMs` stop this supervisor, and its parent decides.
   * quarantine: for many unrelated children; the one that fails too often is parked and retried at the cap, and only
   * when more than a tenth of the children fail together does the supervisor itself fail. Needs one_for_one.
   */
  readonly whenFailing?: 'collapse' | 'quarantine';
  /** Default 3. */
  readonly intensity?: number;
  /** Default 60,000 ms, monotonic. */
  readonly periodMs?: number;
  /** Started in this order, each after the one before it is up; stopped in reverse. */
  readonly children?: readonly AnyChildSpec[];
  /** Default: no limit, since each child has its own. */
  readonly shutdownMs?: number;
}

export type AnyChildSpec = ChildSpec | SupervisorSpec;

/** `stopping`: the id is still being stopped, or the supervisor itself is. */
export type StartRefusal = { readonly started: false; readonly why: 'duplicateId' | 'stopping' };
export type StartResult = { readonly started: true } | StartRefusal;

/** Lifecycle facts, on one stream, with stable fields. */
export type LifecycleFact = { readonly atMs: number; readonly actor: ActorId } & (
  | { readonly type: 'started'; readonly generation: number }
  | { readonly type: 'stopped'; readonly reason: ExitReason }
  | { readonly type: 'restarting'; readonly attempt: number; readonly inMs: number; readonly error: Error }
  | { readonly type: 'quarantined'; readonly failures: number; readonly error: Error }
  | { readonly type: 'intensityExceeded'; readonly restarts: number; readonly periodMs: number }
  | { readonly type: 'deadLetter'; readonly message: string }
  | { readonly type: 'duplicateId' }
  | { readonly type: 'mailboxFull'; readonly rule: OverflowRule }
  | { readonly type: 'unknownMessage'; readonly message: string }
  | { readonly type: 'poisonParked'; readonly message: string; readonly error: Error }
);

/** One transition of a watched actor, shaped like XState 6's `@xstate.transition` so that an upgrade is a mapping. */
export interface TransitionRecord {
  readonly seq: number;
  readonly atMs: number;
  readonly actor: ActorId;
  readonly event: unknown;
  readonly from: unknown;
  readonly to: unknown;
  /** False when no transition was enabled: a guard said no or the state does not know the event. */
  readonly changed: boolean;
  readonly actions: readonly string[];
  readonly effects: readonly string[];
  /** Ids of the lines taken, in order, eventless ones included (statechart/chart.ts). */
  readonly taken: readonly string[];
  /** Every transition the event could have taken, with what its guard says. */
  readonly candidates: readonly Candidate[];
  readonly microsteps: number;
  /** Of the transition alone, without its effects. */
  readonly durationUs: number;
}
