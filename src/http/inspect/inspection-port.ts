// What live inspection asks of the running system: the actor runtime as seen by someone who only looks.
import type { AnyStateMachine } from 'xstate';
import type {
  ActorId,
  ActorMessage,
  LifecycleFact,
  TransitionRecord,
} from '../../actors/runtime/contract.ts';
import type { ActorRow, DeadlineView, JsonValue, RestartView, TreeNode, TreePage } from './protocol.ts';

export interface MachineEntry {
  readonly machine: AnyStateMachine;
  readonly title: string;
}

/** One actor, live: nothing here is copied or redacted yet. */
export interface LiveView {
  readonly row: ActorRow;
  readonly machine: AnyStateMachine | undefined;
  /** The XState snapshot; undefined while the actor is being started or lies in quarantine. */
  readonly snapshot: unknown;
  /** False while this state, or a part of it, still waits for its commit: readers of the API see the one before. */
  readonly committed: boolean;
  readonly deadlines: readonly DeadlineView[];
  readonly restarts: readonly RestartView[];
  readonly children: readonly TreeNode[];
}

/** The children from the `from`-th on, counted from 0, in order of start. */
export interface TreeRange {
  readonly from: number;
  readonly limit: number;
  /** Whether supervisors without children are counted and listed, too. */
  readonly withEmpty: boolean;
}

export interface InspectionPort {
  machines(): readonly MachineEntry[];
  /** Every actor whose id begins with `prefix`, in no particular order. Lazy: the caller may stop early. */
  actors(prefix: string): Iterable<ActorRow>;
  actor(id: ActorId): LiveView | undefined;
  /** A supervisor as an actor without a machine: its context says how it supervises. */
  supervisor(id: ActorId): LiveView | undefined;
  /** Some children of one supervisor; without a parent the roots. Undefined when there is no such supervisor. */
  children(parent: ActorId | undefined, range: TreeRange): TreePage | undefined;
  /** Records of one actor from now on. An observer that throws hurts nobody. */
  observe(id: ActorId, observer: (record: TransitionRecord) => void): () => void;
  /** Lifecycle facts of all actors, while somebody listens. */
  onFact(listener: (fact: LifecycleFact) => void): () => void;
  nowMs(): number;
  /** Gauges for the system page, e.g. `loopLagMs`. */
  gauges(): Readonly<Record<string, number>>;
  /** What the pipelines did with the last events of one check, newest first; plain JSON. */
  traces(
    namespace: string,
    entity: string,
    check: string,
  ): readonly JsonValue[] | Promise<readonly JsonValue[]>;

  tell(id: ActorId, message: ActorMessage): Promise<void>;
  /** False when there is no such actor; so are the next. */
  pause(id: ActorId): boolean;
  resume(id: ActorId): boolean;
  restart(id: ActorId): Promise<boolean>;
  stop(id: ActorId): Promise<boolean>;
}
