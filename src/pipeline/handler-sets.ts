// Expands handler sets into handlers. Duplicates are removed and the result is sorted by name, as in the reference
// product, so the order does not depend on positions in a set.
import type { Handler } from '../model/pipeline/handler.ts';
import { maxSetLevels } from './limits.ts';
import type { SkippedStep } from './trace.ts';

export interface Expansion {
  readonly handlers: ReadonlyMap<string, Handler>;
  readonly skipped: readonly SkippedStep[];
}

export const expandHandlers = (
  names: readonly string[],
  find: (name: string) => Handler | undefined,
): Expansion => {
  const found = new Map<string, Handler>();
  const skipped: SkippedStep[] = [];
  // Each set is expanded at most once per level, so the cost of wide or circular sets is bounded by their size.
  const visited = new Set<string>();
  const expand = (members: readonly string[], level: number, set: string | null): void => {
    if (level > maxSetLevels) {
      skipped.push({ skipped: `handler set ${set ?? ''}`, why: 'handler sets cannot be deeply nested' });
      return;
    }
    for (const name of members) {
      const place = `${level} ${name}`;
      if (visited.has(place)) continue;
      visited.add(place);
      const handler = find(name);
      if (handler === undefined) skipped.push({ skipped: `handler ${name}`, why: absent(set) });
      else if (handler.type === 'set') expand(handler.handlers ?? [], level + 1, name);
      else found.set(name, handler);
    }
  };
  expand(names, 1, null);
  const handlers = new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { handlers, skipped };
};

const absent = (set: string | null): string =>
  set === null ? 'does not exist' : `does not exist (named by handler set ${set})`;
