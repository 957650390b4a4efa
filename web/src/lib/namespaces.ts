// The namespace the page is in, taken from the address; elsewhere, the last one.
import { computed, effect, signal } from '@preact/signals';
import { forgetAccess } from './access.ts';
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
const isListed = signal(false);

/** The namespace to begin with: the last one, if it is there for this person, or one that is. Undefined until that is known. */
export const landing = computed(() => {
  if (!isListed.value) return undefined;
  const isThere = namespaces.value.includes(last.value) || namespaces.value.length === 0;
  return isThere ? last.value : namespaces.value[0];
});

effect(() => {
  isListed.value = false;
  forgetAccess();
  if (user.value === undefined) return;
  getJson<{ name: string }[]>('/api/core/v2/namespaces').then(
    (found) => {
      namespaces.value = found.map(({ name }) => name);
      isListed.value = true;
    },
    () => {
      // Without permission to list namespaces, the last one stays.
      isListed.value = true;
    },
  );
});
