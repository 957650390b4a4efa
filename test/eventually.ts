// Waits for a condition, for tests with real processes and sockets. Timeouts are generous, since the machine may be
// busy.

const pauseMs = 20;

/** Looks again and again until the look finds something (neither undefined nor false), and returns it. */
export const eventually = async <T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 60_000,
): Promise<T> => {
  const endMs = Date.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > endMs) throw new Error(`${what}: not within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
};

/** Steps simulated time, or a queue, until the condition holds. Fails instead of running forever. */
export const stepUntil = (
  what: string,
  holds: () => boolean,
  step: () => void,
  mostSteps: number = 1_000_000,
): void => {
  for (let steps = 0; !holds(); steps += 1) {
    if (steps === mostSteps) throw new Error(`${what}: not within ${mostSteps} steps`);
    step();
  }
};

/** As `stepUntil`, for steps that take turns of the event loop. */
export const stepUntilAsync = async (
  what: string,
  holds: () => boolean,
  step: () => Promise<void>,
  mostSteps: number = 10_000,
): Promise<void> => {
  for (let steps = 0; !holds(); steps += 1) {
    if (steps === mostSteps) throw new Error(`${what}: not within ${mostSteps} steps`);
    await step();
  }
};
