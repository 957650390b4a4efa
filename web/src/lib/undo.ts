// What calls handlers is not done at once: it waits a while, says so, and can be taken back.
import { signal } from '@preact/signals';

export interface Waiting {
  readonly id: number;
  /** `Resolving disk on web-01` */
  readonly what: string;
  readonly keys: ReadonlySet<string>;
  /** When it is done, by this page's own clock. */
  readonly atMs: number;
}

/** Long enough to see that it was the wrong row. */
const undoMs = 10_000;

export const waiting = signal<readonly Waiting[]>([]);
const acts = new Map<number, { readonly timer: ReturnType<typeof setTimeout>; readonly act: () => void }>();
let count = 0;

const take = (id: number): (() => void) | undefined => {
  const found = acts.get(id);
  clearTimeout(found?.timer);
  acts.delete(id);
  waiting.value = waiting.value.filter((one) => one.id !== id);
  return found?.act;
};

/** `keys`: what it will be done to. */
export const doLater = (what: string, keys: Iterable<string>, act: () => void): void => {
  count += 1;
  const id = count;
  acts.set(id, { timer: setTimeout(() => take(id)?.(), undoMs), act });
  waiting.value = [...waiting.value, { id, what, keys: new Set(keys), atMs: Date.now() + undoMs }];
};

export const undo = (id: number): void => void take(id);
export const doNow = (id: number): void => take(id)?.();

/** Whether something is about to be done to this. */
export const isWaiting = (key: string): boolean => waiting.value.some((one) => one.keys.has(key));

// Leaving takes back what still waits: the browser asks first.
addEventListener('beforeunload', (event) => {
  if (waiting.value.length > 0) event.preventDefault();
});
