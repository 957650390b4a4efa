// Stage: what one step of a piece of work answers: yes with what it made, or no with the sentence that is shown for it.

export type Stage<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string };

export const yes = <T>(value: T): Stage<T> => ({ ok: true, value });
export const no = (message: string): Stage<never> => ({ ok: false, message });
