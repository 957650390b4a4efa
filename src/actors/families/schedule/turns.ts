// Turns of round robins: which agent ran a check last, for each subscription. Kept in the store, so that
// after a restart the next agent goes on; a store that is away changes no turn. One record a check.
import { z } from 'zod';
import { nextTurns } from '../../../machines/schedule/round-robin-rule.ts';
import type { RecordKind } from '../../../store/snapshot-store.ts';
import type { GroupCommit } from '../../durable/group-commit.ts';
import type { RecordSource } from '../kit/families.ts';

const kind = 'schedule';
const version = 1;
const stateSchema = z.object({ lastTurns: z.record(z.string(), z.string()) });

const keyOf = (namespace: string, check: string): string => `${namespace}/${check}`;

export class Turns {
  readonly #commit: Pick<GroupCommit, 'put' | 'delete'>;
  /** By check, then by subscription: the agent whose turn came last. */
  readonly #last = new Map<string, Map<string, string>>();

  constructor(commit: Pick<GroupCommit, 'put' | 'delete'>) {
    this.#commit = commit;
  }

  /** The agents whose turn it is now, in order; with fewer agents than turns some have several, with none nobody has. */
  take(namespace: string, check: string, subscription: string, ring: readonly string[], count: number) {
    const key = keyOf(namespace, check);
    const turns = nextTurns(ring, this.#last.get(key)?.get(subscription) ?? null, count);
    const last = turns.at(-1);
    if (last !== undefined) this.#keep(key, subscription, last);
    return turns;
  }

  /** The check was deleted. */
  forget(namespace: string, check: string): void {
    const key = keyOf(namespace, check);
    if (this.#last.delete(key)) this.#commit.delete(kind, key);
  }

  /** What an earlier process or owner kept. A bad record is reported; its round robin begins at the first agent. */
  async restore(
    records: RecordSource,
    onBadRecord: (kind: RecordKind, key: string, error: unknown) => void,
  ): Promise<void> {
    for await (const { key, record } of records(kind)) {
      const state = stateSchema.safeParse(record.state);
      if (state.success) this.#last.set(key, new Map(Object.entries(state.data.lastTurns)));
      else onBadRecord(kind, key, state.error);
    }
  }

  /** Another backend takes the turns of this check from now on. */
  unload(key: string): void {
    this.#last.delete(key);
  }

  #keep(key: string, subscription: string, agent: string): void {
    const turns = this.#last.get(key) ?? new Map<string, string>();
    this.#last.set(key, turns.set(subscription, agent));
    this.#commit.put(kind, key, () => ({
      machine: 'roundRobin',
      version,
      deadlines: [],
      state: { lastTurns: Object.fromEntries(turns) },
    }));
  }
}
