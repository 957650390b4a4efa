// Whether somebody is at the page: a list may move by itself only while nobody is about to click on it.
import { isSomethingOpen } from './keys.ts';

const idleMs = 8_000;
let touchedAt = performance.now();
const touch = (): void => {
  touchedAt = performance.now();
};
for (const type of ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchstart'] as const)
  addEventListener(type, touch, { passive: true, capture: true });

/** At the top of the page, with nothing open, and not touched for a while. */
export const isUnattended = (): boolean =>
  document.visibilityState === 'hidden' ||
  (performance.now() - touchedAt > idleMs && scrollY < 100 && !isSomethingOpen());
