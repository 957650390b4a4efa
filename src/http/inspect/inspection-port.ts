// What live inspection requires of the actor runtime.
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

/** One live actor; nothing here is copied or redacted yet. */
export interface LiveView {
  readonly row: ActorRow;
  readonly machine: AnyStateMachine | undefined;
  /** The XState snapshot; undefined while the actor is starting or quarantined. */
  readonly snapshot: unknown;
  /** False while the state waits for its commit; API readers see the previous one. */
  readonly committed: boolean;
  readonly deadlines: readonly DeadlineView[];
  readonly restarts: readonly RestartView[];
  readonly children: readonly TreeNode[];
}

/** Children from index `from` (starting at 0), in start order. */
interface TreeRange {
  readonly from: number;
  readonly limit: number;
  /** Whether supervisors without children are included. */
  readonly withEmpty: boolean;
}

export interface InspectionPort {
  machines(): readonly MachineEntry[];
  /** All actors whose id starts with `prefix`, unordered. Lazy: the caller may stop early. */
  actors(prefix: string): Iterable<ActorRow>;
  actor(id: ActorId): LiveView | undefined;
  /** A supervisor as an actor without a machine; its context contains its supervision settings. */
  supervisor(id: ActorId): LiveView | undefined;
  /** Children of one supervisor, or the roots without a parent. Undefined if there is no such supervisor. */
  children(parent: ActorId | undefined, range: TreeRange): TreePage | undefined;
  /** Records of one actor from now on. Exceptions of the observer are ignored. */
  observe(id: ActorId, observer: (record: TransitionRecord) => void): () => void;
  /** Lifecycle facts of all actors, for the duration of the subscription. */
  onFact(listener: (fact: LifecycleFact) => void): () => void;
  nowMs(): number;
  /** Gauges for the system page, e.g. `loopLagMs`. */
  gauges(): Readonly<Record<string, number>>;
  /** Pipeline traces of one check, newest first; plain JSON. */
  traces(
    namespace: string,
    entity: string,
    check: string,
  ): readonly JsonValue[] | Promise<readonly JsonValue[]>;

  tell(id: ActorId, message: ActorMessage): Promise<void>;
  /** False if there is no such actor; the same for the next methods. */
  pause(id: ActorId): boolean;
  resume(id: ActorId): boolean;
  restart(id: ActorId): Promise<boolean>;
  stop(id: ActorId): Promise<boolean>;
}
