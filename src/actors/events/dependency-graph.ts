// The graph of dependencies between events, by key. An event is masked by what it depends on, directly or by way of others,
// that is down; the ones named are those that nothing else masks. Checks that depend on each other do not mask each other:
// of a cycle, somebody must be told.
import { maxAncestors, maxNamedMasks, maxReportedCycles } from './limits.ts';

type Keys = readonly string[];
export const noKeys: Keys = [];
const noDependents: ReadonlySet<string> = new Set();

/** What an event depends on, nearest first; incomplete if there are more than `maxAncestors`. */
interface Ancestors {
  readonly keys: ReadonlySet<string>;
  readonly isComplete: boolean;
}

export class DependencyGraph {
  readonly #isDown: (key: string) => boolean;
  readonly #targets = new Map<string, Keys>();
  readonly #dependents = new Map<string, Set<string>>();
  /** Events that were part of a cycle when their targets were set. */
  readonly #cyclic = new Set<string>();

  constructor(isDown: (key: string) => boolean) {
    this.#isDown = isDown;
  }

  /** An event depends on these from now on; none: it is gone, or depends on nothing. True if that is a change. */
  set(key: string, targets: Keys): boolean {
    const known = this.#targets.get(key) ?? noKeys;
    if (isSame(known, targets)) return false;
    for (const target of known) {
      const dependents = this.#dependents.get(target);
      dependents?.delete(key);
      if (dependents?.size === 0) this.#dependents.delete(target);
    }
    this.#cyclic.delete(key);
    if (targets.length === 0) {
      this.#targets.delete(key);
      return true;
    }
    this.#targets.set(key, targets);
    for (const target of targets) {
      const dependents = this.#dependents.get(target);
      if (dependents === undefined) this.#dependents.set(target, new Set([key]));
      else dependents.add(key);
    }
    // The targets that close a cycle are those of one of its members.
    if (this.#dependents.has(key) && this.#ancestors(targets).keys.has(key)) this.#cyclic.add(key);
    return true;
  }

  dependents(key: string): ReadonlySet<string> {
    return this.#dependents.get(key) ?? noDependents;
  }

  /** What masks an event with these targets, nearest first. A pure function of the graph and of what is down. */
  masks(key: string, targets: Keys): Keys {
    if (targets.length === 0) return noKeys;
    const above = new Map<string, ReadonlySet<string>>();
    for (const each of this.#ancestors(targets).keys) {
      if (each === key || !this.#isDown(each)) continue;
      const { keys, isComplete } = this.#ancestors(this.#targets.get(each) ?? noKeys);
      // One with more ancestors than are looked at may depend on the event itself.
      if (isComplete && !keys.has(key)) above.set(each, keys);
    }
    if (above.size < 2) return above.size === 0 ? noKeys : [...above.keys()];
    const isMasked = (each: string): boolean =>
      [...(above.get(each) ?? [])].some(
        (other) => other !== each && above.has(other) && above.get(other)?.has(each) === false,
      );
    return [...above.keys()].filter((each) => !isMasked(each)).slice(0, maxNamedMasks);
  }

  /** Cycles, each as the keys on the way from a member back to it. At most `maxReportedCycles`. */
  cycles(): readonly Keys[] {
    const found: Keys[] = [];
    for (const key of this.#cyclic) {
      const cycle = this.#cycleOf(key);
      if (cycle === undefined) this.#cyclic.delete(key);
      else found.push(cycle);
      if (found.length === maxReportedCycles) break;
    }
    return found;
  }

  #ancestors(targets: Keys): Ancestors {
    const keys = new Set(targets);
    // A set is walked in order of insertion, those included that are added on the way.
    for (const each of keys) {
      for (const target of this.#targets.get(each) ?? noKeys) {
        if (keys.has(target)) continue;
        if (keys.size >= maxAncestors) return { keys, isComplete: false };
        keys.add(target);
      }
    }
    return { keys, isComplete: true };
  }

  #cycleOf(key: string): Keys | undefined {
    const cameFrom = new Map<string, string>();
    const queue = [key];
    for (const each of queue) {
      for (const target of this.#targets.get(each) ?? noKeys) {
        if (target === key) return wayTo(each, cameFrom);
        if (cameFrom.has(target) || cameFrom.size >= maxAncestors) continue;
        cameFrom.set(target, each);
        queue.push(target);
      }
    }
    return undefined;
  }
}

const wayTo = (last: string, cameFrom: ReadonlyMap<string, string>): Keys => {
  const way = [last];
  for (let at = cameFrom.get(last); at !== undefined; at = cameFrom.get(at)) way.unshift(at);
  return way;
};

const isSame = (a: Keys, b: Keys): boolean =>
  a === b || (a.length === b.length && a.every((key, index) => key === b[index]));
