// Keys of records are paths; here they are taken apart again.

type Parts<N extends 1 | 2 | 3> = N extends 1
  ? readonly [string]
  : N extends 2
    ? readonly [string, string]
    : readonly [string, string, string];

/** Throws when the key has another number of parts. */
export const keyParts = <N extends 1 | 2 | 3>(key: string, count: N): Parts<N> => {
  const parts = key.split('/');
  if (parts.length !== count) throw new Error(`the key must have ${count} parts`);
  return parts as unknown as Parts<N>;
};
