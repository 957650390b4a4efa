// Actor ids are paths: `check:default/web-01/cpu`. From them to pages and back.
import { encode } from './api.ts';

export { inspect } from './api.ts';

/** The family (which is also the machine's name), and the event or entity page that shows the same thing, if any. */
export const usableId = (id: string): { family: string; event: string | undefined } => {
  const colon = id.indexOf(':');
  const family = colon < 0 ? id : id.slice(0, colon);
  const [namespace, entity, check] = id.slice(colon + 1).split('/');
  if (family === 'check' && namespace !== undefined && entity !== undefined && check !== undefined)
    return { family, event: `/n/${encode(namespace)}/events/${encode(entity)}/${encode(check)}` };
  if (family === 'entity' && namespace !== undefined && entity !== undefined)
    return { family, event: `/n/${encode(namespace)}/entities/${encode(entity)}` };
  return { family, event: undefined };
};

export const checkActor = (namespace: string, entity: string, check: string): string =>
  `check:${namespace}/${entity}/${check}`;
export const entityActor = (namespace: string, entity: string): string => `entity:${namespace}/${entity}`;

/** Anything else is worth showing beside the state. */
export const isUsual = (status: string): boolean => ['up', 'active', 'running'].includes(status);
