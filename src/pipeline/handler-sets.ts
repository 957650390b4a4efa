// Unfolds handler sets into the handlers that do something. Duplicates collapse; the order is that of the names, as
// in the reference product, so it does not depend on where in a set a name stands.
import type { Handler } from '../model/handler.ts';
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
  // Each set is opened once a level at most: a wide or circular set costs what it holds, not what it multiplies to.
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
