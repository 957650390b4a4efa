// The page's clock: ticks four times a second while the page is visible, corrected by the backend's own time.
import { computed, signal } from '@preact/signals';

const tickMs = 250;
let skewMs = 0;

/** Wall time of the backend in milliseconds, as well as the page knows it. */
export const now = signal(Date.now());
/** The same, told once a second: for what is written in seconds. */
export const nowByTheSecond = computed(() => Math.floor(now.value / 1000) * 1000);

const tick = (): void => {
  now.value = Date.now() + skewMs;
};
setInterval(() => {
  if (document.visibilityState === 'visible') tick();
}, tickMs);

/** Told with every answer that carries the backend's time. */
export const setBackendTime = (nowMs: number): void => {
  skewMs = nowMs - Date.now();
  tick();
};
