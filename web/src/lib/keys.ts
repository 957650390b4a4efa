// One place for keyboard shortcuts: views register what they offer, the help page lists exactly that. A key means what the
// focus says it means first: while somebody types, has a dialog or a menu open, or stands on a control, no shortcut runs.
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

export interface Shortcut {
  readonly keys: string;
  readonly what: string;
  readonly run: () => void;
}

export const shortcuts = signal<readonly Shortcut[]>([]);

/** Offers shortcuts while the calling view is shown. What runs is what was offered last, drawn or not. */
export const useShortcuts = (offered: readonly Shortcut[]): void => {
  const latest = useRef(offered);
  latest.current = offered;
  const names = offered.map(({ keys, what }) => `${keys} ${what}`).join('\n');
  useEffect(() => {
    const registered = latest.current.map(({ keys, what }, index) => ({
      keys,
      what,
      run: () => latest.current[index]?.run(),
    }));
    shortcuts.value = [...shortcuts.peek(), ...registered];
    return () => {
      shortcuts.value = shortcuts.peek().filter((one) => !registered.includes(one));
    };
  }, [names]);
};

const typed = 'textarea, select, [contenteditable], [role=slider], input:not([type=checkbox], [type=radio])';
const controls = 'a[href], button, summary, input, select, textarea, [tabindex]:not([tabindex="-1"])';
const open = 'dialog[open], details.menu[open]';

export const isSomethingOpen = (): boolean => document.querySelector(open) !== null;

/** A control that got the focus from the pointer was meant to be pressed, not to be stood on. */
let pressedAt = Number.NEGATIVE_INFINITY;
let isFromPointer = false;
const pressMs = 600;
addEventListener(
  'pointerdown',
  () => {
    pressedAt = performance.now();
    isFromPointer = true;
  },
  true,
);
addEventListener('focusin', () => {
  isFromPointer = performance.now() - pressedAt < pressMs;
});

const isMeantForFocus = (key: string): boolean => {
  const focused = document.activeElement;
  // Until the next frame the focus stays in a dialog that was just closed.
  if (focused === null || !focused.matches(controls) || !focused.checkVisibility()) return false;
  if (focused.matches(typed)) return true;
  // A button that was clicked, or a checkbox, has no use for a letter; but Enter and space press it again.
  if (key === 'Enter' || key === ' ') return true;
  return !(isFromPointer || focused.matches('[type=checkbox], [type=radio]'));
};

addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.altKey || event.isComposing || isSomethingOpen()) return;
  const withCtrl = event.ctrlKey || event.metaKey;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (!withCtrl && isMeantForFocus(key)) return;
  const pressed = `${withCtrl ? 'Ctrl+' : ''}${key}`;
  // The last to register is nearest to the person.
  const found = shortcuts.value.findLast((one) => one.keys === pressed);
  if (found === undefined) return;
  event.preventDefault();
  found.run();
});
