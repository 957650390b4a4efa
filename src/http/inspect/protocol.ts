// The words of the inspection API, shared by the server that speaks them and the page that reads them. Types only.
import type { Candidate } from '../../actors/runtime/statechart/explain.ts';

export type { Candidate } from '../../actors/runtime/statechart/explain.ts';

export type StateType = 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
export type TransitionKind = 'event' | 'always' | 'after' | 'done' | 'error' | 'wildcard';

export interface GraphState {
  /** Machine id and path, e.g. `check.ttl.waiting`. */
  readonly id: string;
  readonly key: string;
  readonly parent: string | null;
  readonly type: StateType;
  /** The child entered first; null unless the state is a compound. */
  readonly initial: string | null;
  readonly description: string;
  readonly tags: readonly string[];
  readonly entry: readonly string[];
  readonly exit: readonly string[];
  readonly invokes: readonly { readonly id: string; readonly src: string }[];
}

export interface GraphTransition {
  /** `source|event|n`: stable as long as the machine is. */
  readonly id: string;
  readonly source: string;
  /** Empty: the transition stays where it is and only does its actions. */
  readonly targets: readonly string[];
  readonly event: string;
  readonly kind: TransitionKind;
  /** What a person reads: the event, `always`, `after 5000`, `done`. */
  readonly label: string;
  /** Empty when unguarded. */
  readonly guard: string;
  readonly actions: readonly string[];
  readonly reenter: boolean;
  readonly description: string;
}

export interface MachineGraph {
  readonly id: string;
  readonly title: string;
  /** Changes with anything in the graph; drawings are cached under it. */
  readonly sha: string;
  readonly states: readonly GraphState[];
  readonly transitions: readonly GraphTransition[];
  /** One line about each event. */
  readonly events: Readonly<Record<string, string>>;
}

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** One line of the actor table. */
export interface ActorRow {
  readonly id: string;
  /** Machine id, or `supervisor`. */
  readonly machine: string;
  /** State value; null when the actor has none now. */
  readonly value: JsonValue;
  readonly status: string;
  /** Messages waiting. */
  readonly mailbox: number;
  /** Messages handled in this life. */
  readonly handled: number;
  readonly restarts: number;
  readonly generation: number;
  readonly startedAtMs: number;
  readonly parent: string | null;
}

export interface DeadlineView {
  readonly name: string;
  /** Wall time; the page counts down from here. */
  readonly atMs: number;
  /** When it was armed, if known: the ring's full circle. */
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

/** Some children of one supervisor. */
export interface TreePage {
  readonly items: readonly TreeNode[];
  /** How many there are in all, of those that were asked for. */
  readonly total: number;
}

export interface DiffEntry {
  /** Dotted, e.g. `event.check.status`. */
  readonly path: string;
  readonly before: JsonValue;
  readonly after: JsonValue;
}

/** One transition as it is sent to a browser. */
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
  /** What each guard said that was asked. */
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
  /** False while this state still waits for its commit: the API shows the one before. */
  readonly committed: boolean;
  /** Event types this actor would act on now. */
  readonly next: readonly { readonly event: string; readonly transitions: readonly string[] }[];
  readonly deadlines: readonly DeadlineView[];
  readonly history: readonly Frame[];
  readonly restarts: readonly RestartView[];
  /** Of a supervisor: the first of its children; the tree has them all. An actor has none: its machine asks for effects. */
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
  /** What the machine would have thrown; the actor would have crashed. */
  readonly error?: string;
}

export interface ActorPage {
  readonly items: readonly ActorRow[];
  /** How many match in all. */
  readonly total: number;
  readonly next?: string;
}

/** One try to touch a live actor. */
export interface AuditEntry {
  readonly atMs: number;
  /** `nobody` where the login was not good. */
  readonly user: string;
  readonly actor: string;
  readonly action: string;
  readonly outcome: 'done' | 'failed' | 'refused' | 'off';
  /** What was sent; null for other actions. */
  readonly event: JsonValue;
  /** Of a failed one. */
  readonly why?: string;
}
