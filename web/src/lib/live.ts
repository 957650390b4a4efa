// Data that keeps itself fresh: asked again and again while somebody looks, quiet while the tab is hidden.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

export interface Polled<T> {
  readonly data: T | undefined;
  readonly error: string | undefined;
  readonly again: () => void;
}

/** `ask` runs at once, then `everyMs` after each answer; a changed `key` starts over. */
export const usePolled = <T>(key: string, everyMs: number, ask: () => Promise<T>): Polled<T> => {
  const data = useSignal<T | undefined>(undefined);
  const error = useSignal<string | undefined>(undefined);
  const nudge = useSignal(0);
  const count = nudge.value;
  useEffect(() => {
    data.value = undefined;
  }, [key]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let left = false;
    const run = async (): Promise<void> => {
      if (document.visibilityState === 'visible') {
        try {
          const found = await ask();
          if (left) return;
          data.value = found;
          error.value = undefined;
        } catch (failure) {
          if (left) return;
          error.value = failure instanceof Error ? failure.message : String(failure);
        }
      }
      timer = setTimeout(run, everyMs);
    };
    void run();
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [key, everyMs, count]);
  return {
    data: data.value,
    error: error.value,
    again: () => {
      nudge.value += 1;
    },
  };
};
