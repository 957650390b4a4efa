// What the last look for problems found, kept over a restart: a problem is reported once two looks in a row find it, and a backend
// that is restarted between them would otherwise report it later, or never if it is restarted again and again.
import { createHash } from 'node:crypto';
import type { ResourceTable } from '../resources/resource-table.ts';

/** How often problems are looked for, milliseconds: at whole multiples of the wall clock, whenever the backend was started. */
export const lookMs = 10_000;
/** A look from before a start counts for so long, milliseconds. After a longer time the first look only begins the comparison. */
const recentMs = 3 * lookMs;

const segment = 'problem-looks';

/** Milliseconds until the next look. One that comes a little early is not followed by another at once. */
export const untilNextLookMs = (nowMs: number, isFirst: boolean): number => {
  const restMs = lookMs - (nowMs % lookMs);
  return isFirst || restMs >= lookMs / 2 ? restMs : restMs + lookMs;
};

export interface LastLookPorts {
  readonly table: Pick<ResourceTable, 'get' | 'put'>;
  /** Of the backend that looks: those of a cluster share the table. */
  readonly name: string;
  readonly nowMs: () => number;
  readonly onFault: (error: unknown) => void;
}

const digestOf = (found: string): string => createHash('sha256').update(found).digest('hex');

export class LastLook {
  readonly #ports: LastLookPorts;
  #found: string | undefined;

  constructor(ports: LastLookPorts) {
    this.#ports = ports;
  }

  /** Whether this look found what the one before it did. `isWell`: there are no problems. */
  repeats(found: string, isWell: boolean): boolean {
    const { table, name, nowMs, onFault } = this.#ports;
    const digest = digestOf(found);
    const kept = table.get(segment, '', name);
    const before = this.#found ?? recentOf(kept, nowMs());
    this.#found = digest;
    if (digest === before) return true;
    // Where nothing was ever wrong, nothing is written.
    if (!isWell || kept !== undefined)
      table.put({ segment, namespace: '', name }, { digest, at_ms: nowMs() }).catch(onFault);
    return false;
  }
}

const recentOf = (kept: Readonly<Record<string, unknown>> | undefined, nowMs: number): string | undefined => {
  const ageMs = nowMs - Number(kept?.['at_ms']);
  return ageMs >= 0 && ageMs <= recentMs ? String(kept?.['digest']) : undefined;
};
