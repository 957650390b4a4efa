// The API key of a wallboard: given once, by a form or behind `#key=` of the address, and kept in this browser. A tab that
// shows a wall with it has a login of its own, which no other tab knows.
import { signal } from '@preact/signals';
import type { Session } from './protocol.ts';

const storageKey = 'mon.wall-key';

const isWall = (): boolean => new URLSearchParams(location.search).get('wall') === '1';

/** What the address brings; it's taken out of it at once, and not stored before it was looked at. */
const readOffered = (): string => {
  const found = new URLSearchParams(location.hash.slice(1)).get('key') ?? '';
  if (found !== '') history.replaceState(null, '', location.pathname + location.search);
  return found;
};

export const offeredKey = signal(isWall() ? readOffered() : '');

/** Undefined where this tab shows no wall, or the key was not given yet. */
export const wallKey = isWall() ? (localStorage.getItem(storageKey) ?? undefined) : undefined;

export const keepWallKey = (key: string): void => localStorage.setItem(storageKey, key);
export const forgetWallKey = (): void => localStorage.removeItem(storageKey);

const neverSeconds = 8_640_000_000_000;

export const sessionOfKey = (key: string): Session => ({
  scheme: 'Key',
  user: 'wallboard',
  access_token: key,
  refresh_token: '',
  expires_at: neverSeconds,
});
