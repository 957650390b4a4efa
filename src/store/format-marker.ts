// The marker a store carries: in which format it is written, so that an older program never guesses at a newer one.
//
// A store has two numbers. `format` is the newest format that was ever written to it; a program that does not know it must
// not open the store, and it is raised before the first write of a newer program. `migrated` is the format in which at least
// every record is; `mon-backend upgrade` raises it. In between both forms are there, and both are read.
import { version } from '../program/version.ts';
import { StoreError } from './snapshot-store.ts';

/**
 * 1: everything up to the first migration. 2: entity records of version 2, with the time they may be silent. 3: check
 * records of version 2, with acknowledgements. 4: check records of version 3, whose deliveries are records of their own.
 */
export const storeFormat = 4;

export interface StoreMarker {
  readonly format: number;
  readonly migrated: number;
  /** The version of the program that raised `format`. */
  readonly program: string;
  readonly createdAt: string;
  /** A backup is being restored: until it ended, the store is not whole. */
  readonly restoring?: { readonly backup: string; readonly startedAt: string };
}

/**
 * What a store is opened for. `serve` makes a marker where there is none, and raises the format. `inspect` writes nothing.
 * `restore` writes nothing either, and also opens a store in which a restore was not finished.
 */
export type OpenPurpose = 'serve' | 'inspect' | 'restore';

export interface OpenedMarker {
  readonly marker: StoreMarker;
  /** It has to be written before anything else is. */
  readonly isDue: boolean;
}

export const newMarker = (migrated: number = storeFormat): StoreMarker => ({
  format: storeFormat,
  migrated,
  program: version,
  createdAt: new Date().toISOString(),
});

/** Throws StoreError('invalid') unless the store is new (no marker) or has the format of this program. */
export function openMarker(text: string | undefined, where: string, purpose: OpenPurpose): OpenedMarker {
  if (text === undefined) return { marker: newMarker(), isDue: purpose === 'serve' };
  const marker = readMarker(text);
  if (marker === undefined)
    throw new StoreError(
      'invalid',
      `the store in ${where} does not say in which format it is (its marker is ${text.slice(0, 80)}); ` +
        'restore it from a backup',
    );
  if (marker.format > storeFormat) throw newerError(marker, where);
  if (marker.restoring !== undefined && purpose !== 'restore')
    throw new StoreError(
      'invalid',
      `a restore into ${where} began at ${marker.restoring.startedAt} and was not finished (backup ${marker.restoring.backup}): ` +
        'run mon-backend restore with the same file again, or give this backend an empty store',
    );
  if (purpose !== 'serve' || marker.format === storeFormat) return { marker, isDue: false };
  return { marker: { ...marker, format: storeFormat, program: version }, isDue: true };
}

const newerError = ({ format, program }: StoreMarker, where: string): StoreError =>
  new StoreError(
    'invalid',
    `the store in ${where} has format ${format}, written by mon-backend ${program}; this is mon-backend ${version}, ` +
      `which reads formats up to ${storeFormat}: start version ${program} or newer, or restore a backup from before the upgrade`,
  );

/** Undefined when it is none. A marker of format 1 says nothing but its format. */
function readMarker(text: string): StoreMarker | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { format, migrated = format, program, createdAt, restoring } = (value ?? {}) as Partial<StoreMarker>;
  if (!Number.isInteger(format) || !Number.isInteger(migrated)) return undefined;
  return {
    format: Number(format),
    migrated: Number(migrated),
    program: typeof program === 'string' ? program : 'of an unknown version',
    createdAt: typeof createdAt === 'string' ? createdAt : '',
    ...(restoring === undefined ? {} : { restoring }),
  };
}
