// The supervisor tree as data: rows for tables, nodes for a tree, one actor in full. Read-only, made on demand.
import type { AnyStateMachine, Snapshot } from 'xstate';
import type { Cell } from '../cell/cell.ts';
import type { ActorId, Strategy, TransitionRecord } from '../contract.ts';
import { maxTreeChildren } from '../limits.ts';
import type { ChildState, FailureNote } from './slot.ts';
import type { Supervisor, SupervisorServices } from './supervisor.ts';

export interface ActorInfo {
  readonly id: ActorId;
  /** Id of the machine. */
  readonly machine: string;
  /** State value; undefined while it has no life. */
  readonly value: unknown;
  readonly state: ChildState;
  /** Its mail waits until somebody lets it go on. */
  readonly paused: boolean;
  readonly parent: ActorId;
  readonly mailbox: number;
  /** Messages handled in this life. */
  readonly handled: number;
  readonly restarts: number;
  readonly generation: number;
  /** Wall time of the current life's start; undefined while it has none. */
  readonly startedAtMs: number | undefined;
  readonly ageMs: number | undefined;
}

export interface ActorDetail {
  readonly info: ActorInfo;
  readonly machine: AnyStateMachine;
  readonly snapshot: Snapshot<unknown> | undefined;
  /** `atMs` is wall time as of now: pauses and clock jumps move it. */
  readonly deadlines: readonly { readonly name: string; readonly atMs: number; readonly armedAtMs: number }[];
  readonly heldReceipts: number;
  /** The last failures, oldest first. */
  readonly failures: readonly FailureNote[];
  /** Of a watched actor: its last transitions. */
  readonly transitions: readonly TransitionRecord[];
}

export interface SupervisorInfo {
  readonly id: ActorId;
  readonly strategy: Strategy;
  readonly whenFailing: 'collapse' | 'quarantine';
  readonly phase: string;
  readonly generation: number;
  readonly parent: ActorId | undefined;
  readonly restarts: number;
  readonly counts: Readonly<Record<ChildState | 'total', number>>;
}

export type TreeNode =
  | { readonly kind: 'actor'; readonly actor: ActorInfo }
  | {
      readonly kind: 'supervisor';
      readonly supervisor: SupervisorInfo;
      /** Absent below the depth asked for. */
      readonly children?: readonly TreeNode[];
      /** Children left out because there are too many. */
      readonly omitted: number;
    };

export interface TreeOptions {
  /** Levels of supervisors opened below the starting one; default all. */
  readonly depth?: number;
  /** Children listed per supervisor; default 1,000. */
  readonly maxChildren?: number;
}

export const actorInfo = (cell: Cell, parts: SupervisorServices): ActorInfo => {
  const { life } = cell;
  const { supervisor } = cell;
  const child = supervisor.child(cell.id);
  return {
    id: cell.id,
    machine: cell.behaviour.machine.id,
    value: (cell.snapshot() as unknown as { value?: unknown } | undefined)?.value,
    state: child?.state ?? 'gone',
    paused: cell.isPaused,
    parent: supervisor.id,
    mailbox: cell.mailboxDepth,
    handled: life?.handled ?? 0,
    restarts: child?.restarts ?? 0,
    generation: cell.generation,
    startedAtMs: life?.startedAtMs,
    ageMs: life === undefined ? undefined : parts.clock.wallMs() - life.startedAtMs,
  };
};

export const actorDetail = (cell: Cell, parts: SupervisorServices): ActorDetail => ({
  info: actorInfo(cell, parts),
  machine: cell.behaviour.machine,
  snapshot: cell.snapshot(),
  deadlines: cell.life?.waits() ?? [],
  heldReceipts: cell.life?.heldReceipts ?? 0,
  failures: cell.supervisor.failuresOf(cell.id),
  transitions: cell.watch?.ring ?? [],
});

const supervisorInfo = (supervisor: Supervisor): SupervisorInfo => ({
  id: supervisor.id,
  strategy: supervisor.spec.strategy,
  whenFailing: supervisor.spec.whenFailing ?? 'collapse',
  phase: supervisor.phase,
  generation: supervisor.generation,
  parent: supervisor.parent?.id,
  restarts: supervisor.parent?.child(supervisor.id)?.restarts ?? 0,
  counts: supervisor.counts(),
});

/** Undefined when there is no such supervisor. */
export const treeBelow = (
  supervisor: Supervisor,
  parts: SupervisorServices,
  { depth = Number.POSITIVE_INFINITY, maxChildren = maxTreeChildren }: TreeOptions = {},
): TreeNode => {
  const info = supervisorInfo(supervisor);
  if (depth <= 0) return { kind: 'supervisor', supervisor: info, omitted: info.counts.total };
  const children: TreeNode[] = [];
  for (const { id, kind } of supervisor.children()) {
    if (children.length >= maxChildren) break;
    const cell = kind === 'actor' ? parts.registry.cell(id) : undefined;
    const below = kind === 'supervisor' ? parts.supervisors.get(id) : undefined;
    if (cell !== undefined) children.push({ kind, actor: actorInfo(cell, parts) } as TreeNode);
    if (below !== undefined) children.push(treeBelow(below, parts, { depth: depth - 1, maxChildren }));
  }
  return { kind: 'supervisor', supervisor: info, children, omitted: info.counts.total - children.length };
};

export const rootsOf = (parts: SupervisorServices): readonly Supervisor[] =>
  [...parts.supervisors.values()].filter((supervisor) => supervisor.parent === undefined);
