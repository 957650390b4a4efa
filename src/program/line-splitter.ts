// Lines out of chunks of bytes, as streams bring them.

export class LineSplitter {
  #rest: Buffer[] = [];
  #restBytes = 0;

  /** Bytes after the last end of a line. */
  get restBytes(): number {
    return this.#restBytes;
  }

  /** The lines that this chunk completes, without their ends. They may share memory with it. */
  *push(chunk: Buffer): Generator<Buffer, void, void> {
    let from = 0;
    for (let to = chunk.indexOf(10); to >= 0; to = chunk.indexOf(10, from)) {
      const piece = chunk.subarray(from, to);
      from = to + 1;
      if (this.#restBytes === 0) yield piece;
      else {
        const line = Buffer.concat([...this.#rest, piece]);
        this.#rest = [];
        this.#restBytes = 0;
        yield line;
      }
    }
    if (from === chunk.length) return;
    this.#rest.push(chunk.subarray(from));
    this.#restBytes += chunk.length - from;
  }
}
