// Short messages at the edge of the page: what was done, or why it could not be.
import { signal } from '@preact/signals';

export interface Notice {
  readonly id: number;
  readonly kind: 'done' | 'failed';
  readonly text: string;
}

const shownMs = { done: 3_500, failed: 9_000 };
export const notices = signal<readonly Notice[]>([]);
let count = 0;

export const notify = (kind: Notice['kind'], text: string): void => {
  count += 1;
  const notice = { id: count, kind, text };
  notices.value = [...notices.value.slice(-3), notice];
  setTimeout(() => dismiss(notice.id), shownMs[kind]);
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
