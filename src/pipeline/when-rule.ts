// Checks whether a time is within the time windows of a filter. Windows are in UTC and inclusive at both ends. A
// window that ends before it starts wraps over midnight within the list of the current weekday. Pure.

import { weekdays } from '../model/silence/window-words.ts';
import { parseClock, type When } from '../model/time/time-windows.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

interface Window {
  readonly begin: string;
  readonly end: string;
}

export type WhenAnswer =
  | { readonly type: 'inside'; readonly window: Window }
  | { readonly type: 'outside' }
  | { readonly type: 'unreadable'; readonly why: string };

const holds = (window: Window, sinceMidnightMs: number): boolean | null => {
  const begin = parseClock(window.begin);
  const end = parseClock(window.end);
  if (begin === null || end === null) return null;
  const [beginMs, endMs] = [begin * minuteMs, end * minuteMs];
  return endMs < beginMs
    ? sinceMidnightMs <= endMs || sinceMidnightMs >= beginMs
    : sinceMidnightMs >= beginMs && sinceMidnightMs <= endMs;
};

export const checkWindows = (when: When, nowMs: number): WhenAnswer => {
  const today = weekdays[new Date(nowMs).getUTCDay()] ?? 'sunday';
  const sinceMidnightMs = ((nowMs % dayMs) + dayMs) % dayMs;
  for (const window of [...when.days.all, ...when.days[today]]) {
    const inside = holds(window, sinceMidnightMs);
    if (inside === null)
      return {
        type: 'unreadable',
        why: `time window ${window.begin} - ${window.end} is not of the form 3:04 PM`,
      };
    if (inside) return { type: 'inside', window };
  }
  return { type: 'outside' };
};
