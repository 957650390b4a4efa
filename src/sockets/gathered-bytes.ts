// Gathered bytes: what arrived on a connection so far, as one piece, without copying all of it for every chunk.

export interface GatheredBytes {
  /** Everything so far; a view that the next call may overwrite. */
  add(chunk: Buffer): Buffer;
}

export const gatherBytes = (): GatheredBytes => {
  let room = Buffer.alloc(0);
  let size = 0;
  return {
    add: (chunk) => {
      if (size + chunk.length > room.length) {
        const larger = Buffer.alloc(Math.max(2 * room.length, size + chunk.length));
        room.copy(larger, 0, 0, size);
        room = larger;
      }
      chunk.copy(room, size);
      size += chunk.length;
      return room.subarray(0, size);
    },
  };
};
