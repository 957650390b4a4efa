// Configuration and logins on every backend of a cluster: what this one writes is told to the others, and what they write is
// read here.
import type { ResourceTable } from '../../actors/resources/resource-table.ts';
import { type SharedRecordStore, SharedRecords } from '../../actors/resources/shared-records.ts';
import type { Bus, BusReport } from '../../cluster/bus.ts';
import { type Change, Changes } from '../../cluster/changed.ts';
import type { ClusterClock } from '../../cluster/clock.ts';
import type { Sessions } from '../../http/auth/sessions.ts';

export interface SharedConfigurationOptions {
  readonly store: SharedRecordStore;
  readonly bus: Bus;
  /** Of changes, on the bus. */
  readonly subject: string;
  readonly clock: ClusterClock & { wallMs(): number };
  readonly random: () => number;
  /** This backend and its incarnation. */
  readonly sender: string;
  readonly report: BusReport;
}

interface Readers {
  readonly table: Pick<ResourceTable, 'readAgain' | 'readAllAgain'>;
  readonly logins: Pick<Sessions, 'readAgain' | 'readAllAgain'>;
}

export interface SharedConfiguration {
  /** For `Backend.open`. */
  readonly records: SharedRecords;
  /** From here on this backend follows the others. To be called before it serves. */
  follow(readers: Readers): void;
  close(): void;
}

export const shareConfiguration = ({
  store,
  clock,
  random,
  ...options
}: SharedConfigurationOptions): SharedConfiguration => {
  let changes: Changes | undefined;
  const records = new SharedRecords({
    store,
    random,
    wallMs: () => clock.wallMs(),
    // Before it follows, nobody has heard of it; who does then reads everything.
    changed: (change) => changes?.tell(change),
    doubted: (change) => changes?.doubt(change),
  });
  return {
    records,
    follow({ table, logins }) {
      const readers: Readonly<Record<string, Readers[keyof Readers]>> = { resource: table, session: logins };
      changes = new Changes({
        ...options,
        clock,
        read: async (list) => {
          for (const [kind, keys] of byKind(list)) await readers[kind]?.readAgain(keys);
        },
        readAll: async () => {
          await table.readAllAgain();
          await logins.readAllAgain();
        },
      });
    },
    close: () => changes?.close(),
  };
};

const byKind = (changes: readonly Change[]): ReadonlyMap<string, readonly string[]> => {
  const kinds = new Map<string, string[]>();
  for (const { kind, key } of changes) kinds.set(kind, [...(kinds.get(kind) ?? []), key]);
  return kinds;
};
