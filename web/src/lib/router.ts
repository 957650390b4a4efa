// Where the page is: the address bar, and nothing else, holds which view is shown and how it is filtered.
import { computed, signal } from '@preact/signals';
// A login that comes back from an issuer changes the address before it is read here.
import './session.ts';

const base = '/ui';
const here = signal(location.pathname + location.search);

addEventListener('popstate', () => {
  here.value = location.pathname + location.search;
});

export const path = computed(() => here.value.split('?')[0]?.slice(base.length) || '/');
export const query = computed(() => new URLSearchParams(/\?.*$/.exec(here.value)?.[0] ?? ''));

/** `to` is below /ui, e.g. `/actors?state=failing`. */
export const href = (to: string): string => base + to;

export const go = (to: string, how: 'push' | 'replace' = 'push'): void => {
  if (href(to) === here.value) return;
  history[how === 'push' ? 'pushState' : 'replaceState'](null, '', href(to));
  here.value = href(to);
  if (how === 'push') scrollTo(0, 0);
};

/** Changes parts of the query; an empty value removes its part. */
export const setQuery = (changes: Readonly<Record<string, string>>): void => {
  const next = new URLSearchParams(query.value);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  go(path.value + (text === '' ? '' : `?${text}`), 'replace');
};

/** Links inside the page change the view; with a modifier key, or elsewhere, the browser does as ever. */
addEventListener('click', (event) => {
  const link = (event.target as Element | null)?.closest?.('a[href]');
  if (!(link instanceof HTMLAnchorElement) || link.target !== '' || link.origin !== location.origin) return;
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey)
    return;
  if (!link.pathname.startsWith(`${base}/`)) return;
  event.preventDefault();
  go((link.pathname + link.search).slice(base.length));
});

export type Parameters = Readonly<Record<string, string>>;

/** `/n/:namespace/events` against a path; undefined when it does not fit. */
export const match = (pattern: string, text: string): Parameters | undefined => {
  const wanted = pattern.split('/');
  const given = text.replace(/\/$/, '').split('/');
  if (wanted.length !== given.length) return undefined;
  const found: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (part.startsWith(':')) found[part.slice(1)] = decodeURIComponent(value);
    else if (part !== value) return undefined;
  }
  return found;
};
