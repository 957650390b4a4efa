// The same thing done to many, a few at a time, so that a thousand requests do not stand before everybody else's.
export interface Outcome<T> {
  readonly done: readonly T[];
  readonly failed: readonly { readonly item: T; readonly why: string }[];
}

const atOnce = 6;

/** Goes on after a failure. `onProgress` hears how many are through, whatever became of them. */
export const doAll = async <T>(
  items: readonly T[],
  act: (item: T) => Promise<unknown>,
  onProgress: (through: number) => void = () => undefined,
): Promise<Outcome<T>> => {
  const done: T[] = [];
  const failed: { item: T; why: string }[] = [];
  const rest = items.values();
  const work = async (): Promise<void> => {
    for (const item of rest) {
      try {
        await act(item);
        done.push(item);
      } catch (error) {
        failed.push({ item, why: error instanceof Error ? error.message : String(error) });
      }
      onProgress(done.length + failed.length);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { done, failed };
};
