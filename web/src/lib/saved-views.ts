// Views of the list of events that somebody gave a name. A view is an address: nothing of it lies on the server, so it can be
// sent to others as a link and shown on a wall that has another login. The names are kept in this browser, for each user.
import { computed, signal } from '@preact/signals';
import { user } from './session.ts';

export interface SavedView {
  readonly name: string;
  /** Below /ui: `/n/default/events?show=all`. */
  readonly to: string;
}

const maxViews = 50;
const maxNameCharacters = 60;
const version = signal(0);

const keyOf = (name: string): string => `mon.views.${name}`;

const isView = (value: unknown): value is SavedView => {
  const { name, to } = (value ?? {}) as Partial<SavedView>;
  return typeof name === 'string' && typeof to === 'string' && to.startsWith('/');
};

const read = (of: string): readonly SavedView[] => {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(keyOf(of)) ?? '[]');
    return Array.isArray(found) ? found.filter(isView) : [];
  } catch {
    return [];
  }
};

export const savedViews = computed<readonly SavedView[]>(() => {
  void version.value;
  return user.value === undefined ? [] : read(user.value);
});

const write = (views: readonly SavedView[]): void => {
  localStorage.setItem(keyOf(user.peek() ?? ''), JSON.stringify(views.slice(-maxViews)));
  version.value += 1;
};

addEventListener('storage', ({ key }) => {
  if (key?.startsWith(keyOf('')) === true) version.value += 1;
});

/** One of the same name is replaced. */
export const saveView = (name: string, to: string): void => {
  const short = name.trim().slice(0, maxNameCharacters);
  if (short === '') return;
  const others = savedViews.peek().filter((view) => view.name !== short);
  write([...others, { name: short, to }]);
};

export const forgetView = (name: string): void =>
  write(savedViews.peek().filter((view) => view.name !== name));

/** The address of a wall that shows these in turns. It says all of them, so that any browser can open it. */
export const wallOf = (views: readonly SavedView[], here: string): string => {
  const [path = '', text = ''] = (views[0]?.to ?? here).split('?');
  const query = new URLSearchParams(text);
  for (const { name, to } of views) query.append('view', `${name}|${to}`);
  query.set('wall', '1');
  return `${path}?${query}`;
};
