// How many entities may be watched right now: the free ones, or more with a licence that holds.
// A licence was checked when it was put; it is checked again at boot, since keys change.
import type { KeyObject } from 'node:crypto';
import { type License, licenseFault, licenseIsOver } from '../../model/resource/license.ts';
import type { Resource, ResourceTable } from './resource-table.ts';

export const licenseId = { segment: 'license', namespace: '', name: 'license' } as const;

export const createLicensedLimit = (options: {
  readonly table: ResourceTable;
  /** Undefined: no licence holds. */
  readonly key: KeyObject | undefined;
  /** 0: no limit. */
  readonly freeEntities: number;
  readonly nowMs: () => number;
}): (() => number) => {
  const { table, key, freeEntities, nowMs } = options;
  const genuine = new WeakMap<Resource, boolean>();

  const isGenuine = (kept: Resource): boolean => {
    const known = genuine.get(kept);
    if (known !== undefined) return known;
    const license = kept as unknown as License;
    // Its end is asked about at each look, not once.
    const good = licenseFault(license, key, Number.NEGATIVE_INFINITY) === null;
    genuine.set(kept, good);
    return good;
  };

  return () => {
    if (freeEntities === 0) return 0;
    const kept = table.get(licenseId.segment, licenseId.namespace, licenseId.name);
    if (kept === undefined || !isGenuine(kept)) return freeEntities;
    const license = kept as unknown as License;
    return licenseIsOver(license, nowMs()) ? freeEntities : Math.max(freeEntities, license.entities);
  };
};

/** Why the stored license is invalid; null if it is valid or there is none. Shown when a backend starts. */
export const keptLicenseFault = (
  table: ResourceTable,
  key: KeyObject | undefined,
  nowMs: number,
): string | null => {
  const kept = table.get(licenseId.segment, licenseId.namespace, licenseId.name);
  return kept === undefined ? null : licenseFault(kept as unknown as License, key, nowMs);
};
