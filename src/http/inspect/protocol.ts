// The types of the inspection API, shared by server and page. Types only.
import type { Candidate } from '../../actors/runtime/statechart/explain.ts';

export type { Candidate } from '../../actors/runtime/statechart/explain.ts';

type StateType = 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
export type TransitionKind = 'event' | 'always' | 'after' | 'done' | 'error' | 'wildcard';

export interface GraphState {
  /** Machine id and path, e.g. `check.ttl.waiting`. */
  readonly id: string;
  readonly key: string;
  readonly parent: string | null;
  readonly type: StateType;
  /** The initial child; null unless the state is compound. */
  readonly initial: string | null;
  readonly description: string;
  readonly tags: readonly string[];
  readonly entry: readonly string[];
  readonly exit: readonly string[];
  readonly invokes: readonly { readonly id: string; readonly src: string }[];
}

export interface GraphTransition {
  /** `source|event|n`: stable as long as the machine is unchanged. */
  readonly id: string;
  readonly source: string;
  /** Empty for a transition that only runs actions. */
  readonly targets: readonly string[];
  readonly event: string;
  readonly kind: TransitionKind;
  /** Display label: the event, `always`, `after 5000`, `done`. */
  readonly label: string;
  /** Empty if there is no guard. */
  readonly guard: string;
  readonly actions: readonly string[];
  readonly reenter: boolean;
  readonly description: string;
}

export interface MachineGraph {
  readonly id: string;
  readonly title: string;
  /** Changes with any change of the graph; drawings are cached by it. */
  readonly sha: string;
  readonly states: readonly GraphState[];
  readonly transitions: readonly GraphTransition[];
  /** One line per event. */
  readonly events: Readonly<Record<string, string>>;
}

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** One row of the actor table. */
export interface ActorRow {
  readonly id: string;
  /** Machine id, or `supervisor`. */
  readonly machine: string;
  /** State value; null if the actor currently has none. */
  readonly value: JsonValue;
  readonly status: string;
  /** Queued messages. */
  readonly mailbox: number;
  /** Messages processed since the last start. */
  readonly handled: number;
  readonly restarts: number;
  readonly generation: number;
  readonly startedAtMs: number;
  readonly parent: string | null;
}

export interface DeadlineView {
  readonly name: string;
  /** Unix milliseconds; the page counts down to it. */
  readonly atMs: number;
  /** When it was set, if known: the full circle of the countdown. */
  readonly armedAtMs?: number;
}

export interface RestartView {
  readonly atMs: number;
  readonly error: string;
}

export interface TreeNode {
  readonly id: string;
  readonly kind: 'supervisor' | 'actor';
  readonly machine: string;
  readonly value: JsonValue;
  readonly status: string;
  readonly strategy?: string;
  readonly children: number;
  readonly restarts: number;
  readonly mailbox: number;
}

/** A page of the children of one supervisor. */
export interface TreePage {
  readonly items: readonly TreeNode[];
  /** The total number of matching children. */
  readonly total: number;
}

export interface DiffEntry {
  /** Dotted, e.g. `event.check.status`. */
  readonly path: string;
  readonly before: JsonValue;
  readonly after: JsonValue;
}

/** One transition as sent to a browser. */
export interface Frame {
  readonly seq: number;
  readonly atMs: number;
  readonly actor: string;
  readonly machine: string;
  readonly event: JsonValue;
  readonly from: JsonValue;
  readonly to: JsonValue;
  readonly changed: boolean;
  readonly actions: readonly string[];
  readonly effects: readonly string[];
  /** Ids of the transitions taken, as in the machine's graph. */
  readonly taken: readonly string[];
  /** The result of each evaluated guard. */
  readonly candidates: readonly Candidate[];
  readonly diff: readonly DiffEntry[];
  readonly deadlines: readonly DeadlineView[];
  readonly durationUs: number;
}

export interface ActorView {
  readonly row: ActorRow;
  readonly sha: string;
  readonly nowMs: number;
  readonly active: readonly string[];
  readonly context: JsonValue;
  /** False while this state waits for its commit; the API shows the previous one. */
  readonly committed: boolean;
  /** Event types that have a transition from the current state. */
  readonly next: readonly { readonly event: string; readonly transitions: readonly string[] }[];
  readonly deadlines: readonly DeadlineView[];
  readonly history: readonly Frame[];
  readonly restarts: readonly RestartView[];
  /** For a supervisor: its first children; the tree lists all. Actors have none. */
  readonly children: readonly TreeNode[];
  readonly canControl: boolean;
}

export interface DryRun {
  readonly from: JsonValue;
  readonly to: JsonValue;
  readonly active: readonly string[];
  readonly changed: boolean;
  readonly actions: readonly string[];
  readonly candidates: readonly Candidate[];
  readonly diff: readonly DiffEntry[];
  /** The error that would have crashed the actor. */
  readonly error?: string;
}

export interface ActorPage {
  readonly items: readonly ActorRow[];
  /** The total number of matches. */
  readonly total: number;
  readonly next?: string;
}

/** One attempt to control a live actor. */
export interface AuditEntry {
  readonly atMs: number;
  /** `nobody` if the login was invalid. */
  readonly user: string;
  readonly actor: string;
  readonly action: string;
  readonly outcome: 'done' | 'failed' | 'refused' | 'off';
  /** The sent event; null for other actions. */
  readonly event: JsonValue;
  /** The reason of a failure. */
  readonly why?: string;
}
