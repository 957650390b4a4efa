// Turns: so many pieces of work at once, the others in order of their coming.

export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

export const createTurns = (atOnce: number): InTurn => {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    // Whoever leaves hands its place over, so `running` stays as it is.
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
