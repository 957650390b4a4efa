// What a person chose about looks: theme, colours for colour-blind eyes, density. Kept in this browser.
import { effect, signal } from '@preact/signals';

export const themes = ['auto', 'dark', 'light', 'contrast'] as const;
export const palettes = ['standard', 'deuteranopia', 'tritanopia'] as const;
export const densities = ['comfortable', 'compact'] as const;

const chosen = <T extends string>(name: string, allowed: readonly [T, ...T[]]) => {
  const stored = localStorage.getItem(`mon.${name}`);
  const start = allowed.find((value) => value === stored) ?? allowed[0];
  const choice = signal<T>(start);
  effect(() => {
    localStorage.setItem(`mon.${name}`, choice.value);
    document.documentElement.dataset[name] = choice.value;
  });
  return choice;
};

export const theme = chosen('theme', themes);
export const palette = chosen('palette', palettes);
export const density = chosen('density', densities);

/** Whether lists of events move by themselves while nobody is at the page. */
export const isFollowing = chosen('follow', ['on', 'off']);

/** Whether what newly fails is told by a notification of the browser, and by a sound. */
export const isNotifying = chosen('notify', ['off', 'on']);
export const isSounding = chosen('sound', ['off', 'on']);

/** Whether charts show how often each state and transition was taken. For this visit only. */
export const isHeatShown = signal(false);
