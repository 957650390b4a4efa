// Accumulates the bytes of a connection in one buffer, without copying everything for every chunk.

export interface GatheredBytes {
  /** All bytes so far; a view that the next call may overwrite. */
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
