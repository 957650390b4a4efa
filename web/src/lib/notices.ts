// Short messages at the edge of the page: what was done, or why it could not be.
import { signal } from '@preact/signals';
import { doAll } from './bulk.ts';
import { plural } from './format.ts';

export interface Notice {
  readonly id: number;
  /** `busy` stays until it is replaced. */
  readonly kind: 'done' | 'failed' | 'busy';
  readonly text: string;
}

const shownMs = { done: 3_500, failed: 9_000 };
export const notices = signal<readonly Notice[]>([]);
let count = 0;

/** Answers with what `renew` and `dismiss` ask for. */
export const notify = (kind: Notice['kind'], text: string): number => {
  count += 1;
  const notice = { id: count, kind, text };
  notices.value = [...notices.value.slice(-3), notice];
  if (kind !== 'busy') setTimeout(() => dismiss(notice.id), shownMs[kind]);
  return notice.id;
};

const renew = (id: number, text: string): void => {
  notices.value = notices.value.map((notice) => (notice.id === id ? { ...notice, text } : notice));
};

export const dismiss = (id: number): void => {
  notices.value = notices.value.filter((notice) => notice.id !== id);
};

/** Does something for the person and says how it went. */
export const attempt = async (what: string, act: () => Promise<unknown>): Promise<boolean> => {
  try {
    await act();
    notify('done', what);
    return true;
  } catch (error) {
    notify('failed', `${what}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
};

/** The same to many; says how far it is, how many it was, and why of the first that failed. `what` is done to them: `Resolved`. */
export const attemptAll = async <T>(
  what: string,
  items: readonly T[],
  nameOf: (item: T) => string,
  act: (item: T) => Promise<unknown>,
  noun = 'event',
): Promise<void> => {
  const all = items.length.toLocaleString('en');
  const busy = items.length > 20 ? notify('busy', `${what}: 0 of ${all}`) : undefined;
  const { done, failed } = await doAll(items, act, (through) => {
    if (busy !== undefined) renew(busy, `${what}: ${through.toLocaleString('en')} of ${all}`);
  });
  if (busy !== undefined) dismiss(busy);
  const [first] = failed;
  const [only] = items;
  if (first !== undefined)
    notify('failed', `${what}: ${failed.length} of ${all} failed. ${nameOf(first.item)}: ${first.why}`);
  else if (only !== undefined)
    notify('done', `${what} ${items.length === 1 ? nameOf(only) : plural(done.length, noun)}`);
};
