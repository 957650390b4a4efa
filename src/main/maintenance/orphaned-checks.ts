// Checks whose namespace no longer exists. An upgrade stops if it finds any.
import { parseStoreKey } from '../../actors/resources/resource.ts';
import type { ExaminedStore } from '../../store/maintained-store.ts';

/** `namespace/check`, in order. */
export const orphanedChecks = async (store: Pick<ExaminedStore, 'examine'>): Promise<readonly string[]> => {
  const namespaces = new Set<string>();
  for await (const { key } of store.examine('resource', { prefix: 'namespaces/' }))
    namespaces.add(parseStoreKey(key).name);
  const orphans: string[] = [];
  for await (const { key } of store.examine('resource', { prefix: 'checks/' })) {
    const { namespace, name } = parseStoreKey(key);
    if (!namespaces.has(namespace)) orphans.push(`${namespace}/${name}`);
  }
  return orphans;
};
