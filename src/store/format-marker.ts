// The marker a store carries to say in which format it was written, so that an older program never guesses at a newer one.
import { StoreError } from './snapshot-store.ts';

export const storeFormat = 1;

export const formatMarker = (): string =>
  JSON.stringify({ format: storeFormat, createdAt: new Date().toISOString() });

/** Throws StoreError('invalid') unless the store is new (no marker) or written in the format of this program. */
export function checkFormat(marker: string | undefined, where: string): void {
  if (marker === undefined) return;
  const format = formatOf(marker);
  if (format === storeFormat) return;
  throw new StoreError(
    'invalid',
    `the store in ${where} has format ${format ?? 'unknown'}, this program reads format ${storeFormat}; ` +
      'start the version that wrote it, or give this one an empty store',
  );
}

function formatOf(marker: string): unknown {
  try {
    return (JSON.parse(marker) as { format?: unknown }).format;
  } catch {
    return undefined;
  }
}
