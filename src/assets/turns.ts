// Limits concurrency: runs up to `atOnce` tasks at a time and queues the others in order.

export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

export const createTurns = (atOnce: number): InTurn => {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    // A finished task passes its slot on, so `running` does not change.
    if (running >= atOnce) await new Promise<void>((go) => waiting.push(go));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
};
