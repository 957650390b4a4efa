// How often each state was entered and each transition taken, counted over the transitions seen. Pure.
import type { Frame } from '../../../src/http/inspect/protocol.ts';
import { activeStateIds } from '../../../src/http/inspect/state-value.ts';

export interface Heat {
  /** By the id of a state or of a transition; what never happened is absent. */
  readonly counts: ReadonlyMap<string, number>;
  readonly most: number;
}

export const heatOf = (frames: readonly Frame[]): Heat => {
  const counts = new Map<string, number>();
  const add = (id: string): void => void counts.set(id, (counts.get(id) ?? 0) + 1);
  for (const { machine, from, to, taken } of frames) {
    const before = new Set(from === null ? [] : activeStateIds(machine, from));
    for (const id of to === null ? [] : activeStateIds(machine, to)) if (!before.has(id)) add(id);
    for (const id of taken) add(id);
  }
  return { counts, most: Math.max(0, ...counts.values()) };
};

/** From 0, never, to 1, the most often; in between by orders of magnitude, or a busy transition hides all others. */
export const shareOf = ({ most }: Heat, count: number): number =>
  most === 0 ? 0 : Math.log1p(count) / Math.log1p(most);
