// The namespace the page is in, taken from the address; elsewhere, the last one.
import { computed, effect, signal } from '@preact/signals';
import { getJson } from './api.ts';
import { path } from './router.ts';
import { user } from './session.ts';

const last = signal(localStorage.getItem('mon.namespace') ?? 'default');
const fromPath = computed(() => /^\/n\/([^/]+)/.exec(path.value)?.[1]);

effect(() => {
  const found = fromPath.value;
  if (found === undefined) return;
  last.value = decodeURIComponent(found);
  localStorage.setItem('mon.namespace', last.value);
});

export const namespace = computed(() => last.value);
export const namespaces = signal<readonly string[]>(['default']);

effect(() => {
  if (user.value === undefined) return;
  getJson<{ name: string }[]>('/api/core/v2/namespaces').then(
    (found) => {
      namespaces.value = found.map(({ name }) => name);
    },
    () => {
      // Whoever may not list namespaces stays in the one of the address.
    },
  );
});
