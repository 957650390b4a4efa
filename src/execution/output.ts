// Collects the output of a command up to a limit. Output beyond it is counted and discarded, so that memory is
// bounded.

export interface Output {
  readonly add: (chunk: Buffer) => void;
  receivedBytes(): number;
  droppedBytes(): number;
  bytes(): Buffer;
}

export const createOutput = (limitBytes: number): Output => {
  const chunks: Buffer[] = [];
  let kept = 0;
  let received = 0;
  return {
    add: (chunk) => {
      received += chunk.length;
      if (kept >= limitBytes) return;
      const part = chunk.subarray(0, limitBytes - kept);
      chunks.push(part);
      kept += part.length;
    },
    receivedBytes: () => received,
    droppedBytes: () => received - kept,
    bytes: () => Buffer.concat(chunks),
  };
};
