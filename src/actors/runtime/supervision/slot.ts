// The place of one child in its supervisor: the child itself, its failures, its pending restart.

import type { ActorId, ExitReason } from '../contract.ts';
import { keptFailures } from '../limits.ts';
import type { Deadline } from '../time/deadlines.ts';
import type { Child, ChildPhase } from './child.ts';
import type { FailureRecord } from './failure-policy.ts';

/** backingOff: waits for its restart; quarantined: the same, at the longest interval, since it failed too often. */
export type ChildState = Exclude<ChildPhase, 'down'> | 'backingOff' | 'quarantined';

export interface ChildInfo {
  readonly id: ActorId;
  readonly kind: 'actor' | 'supervisor';
  readonly state: ChildState;
  readonly restarts: number;
  readonly generation: number;
}

/** When and why a child failed. */
export interface FailureNote {
  readonly atMs: number;
  readonly error: string;
}

/** A child with what its supervisor remembers about it. */
export interface Slot extends FailureRecord {
  readonly child: Child;
  /** Asked to stop for good. */
  leaving: boolean;
  restarts: number;
  /** Monotonic; undefined while it is not up. */
  upSinceMs: number | undefined;
  retry: Deadline | undefined;
  notes: FailureNote[] | undefined;
}

export const emptySlot = (child: Child): Slot => ({
  child,
  leaving: false,
  restarts: 0,
  upSinceMs: undefined,
  retry: undefined,
  notes: undefined,
  attempts: 0,
  quarantined: false,
  window: undefined,
});

export const infoOf = (slot: Slot): ChildInfo => ({
  id: slot.child.id,
  kind: slot.child.kind,
  state: stateOf(slot),
  restarts: slot.restarts,
  generation: slot.child.generation,
});

export const note = (slot: Slot, atMs: number, error: Error): void => {
  slot.notes ??= [];
  slot.notes.push({ atMs, error: error.message });
  if (slot.notes.length > keptFailures) slot.notes.shift();
};

export const forgive = (slot: Slot): void => {
  slot.attempts = 0;
  slot.quarantined = false;
  slot.window = undefined;
};

export const stateOf = ({ child, quarantined }: Slot): ChildState => {
  if (child.phase !== 'down') return child.phase;
  return quarantined ? 'quarantined' : 'backingOff';
};

export const errorOf = (reason: ExitReason): Error => {
  if (reason.type === 'abnormal') return reason.error;
  if (reason.type === 'killed') return new Error(`no answer after ${reason.afterMs} ms`);
  return new Error(`it ended (${reason.type}), though it is permanent`);
};
