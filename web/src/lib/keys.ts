// One place for keyboard shortcuts: views register what they offer, the help page lists exactly that.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

export interface Shortcut {
  readonly keys: string;
  readonly what: string;
  readonly run: () => void;
}

export const shortcuts = signal<readonly Shortcut[]>([]);

/** Offers shortcuts while the calling view is shown. */
export const useShortcuts = (offered: readonly Shortcut[], changes: readonly unknown[]): void => {
  useEffect(() => {
    shortcuts.value = [...shortcuts.peek(), ...offered];
    return () => {
      shortcuts.value = shortcuts.peek().filter((one) => !offered.includes(one));
    };
  }, changes);
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

addEventListener('keydown', (event) => {
  const withCtrl = event.ctrlKey || event.metaKey;
  const pressed = `${withCtrl ? 'Ctrl+' : ''}${event.key.length === 1 ? event.key.toLowerCase() : event.key}`;
  if (event.altKey || (!withCtrl && pressed !== 'Escape' && isTyping(event.target))) return;
  // The last to register is nearest to the person.
  const found = shortcuts.value.findLast(
    (one) => one.keys === pressed || (one.keys === '?' && event.key === '?'),
  );
  if (found === undefined) return;
  event.preventDefault();
  found.run();
});
