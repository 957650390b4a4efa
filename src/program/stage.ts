// The result of one step: a value on success, or an error message for the user.

export type Stage<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string };

export const yes = <T>(value: T): Stage<T> => ({ ok: true, value });
export const no = (message: string): Stage<never> => ({ ok: false, message });
