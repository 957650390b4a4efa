// One time limit for all waits: the result of some work, or another one if the work takes longer.

/**
 * `late` is called after `ms` milliseconds and gives the result, or throws. The work goes on; what becomes of it then is
 * ignored, even a rejection.
 */
export const within = async <T, TLate>(
  work: Promise<T>,
  ms: number,
  late: () => TLate,
): Promise<T | TLate> => {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, ms, 'late');
  });
  try {
    const first = await Promise.race([work.then((result) => ({ result })), timeUp]);
    return first === 'late' ? late() : first.result;
  } finally {
    clearTimeout(timer);
  }
};
