// Silencing: which silences match an event now (backend sheet, section 4.2). Asked once for every event, before
// the check machine sees it. Silencing never stops storage: it only marks the event.
import type { Event } from './event.ts';
import { entitySubscription } from './names.ts';
import type { Silenced } from './silenced.ts';

export { silencedName } from './silenced.ts';

/** Past its end: still in force in the very second of `expire_at`. */
export const isExpired = (entry: Silenced, nowSeconds: number): boolean =>
  entry.expire_at !== 0 && entry.expire_at < nowSeconds;

/** Begun and not expired. */
export const isActive = (entry: Silenced, nowSeconds: number): boolean =>
  entry.begin <= nowSeconds && !isExpired(entry, nowSeconds);

const covers = (pattern: string | undefined, value: string): boolean =>
  pattern === undefined || pattern === '' || pattern === '*' || pattern === value;

/**
 * The subscriptions an event can be silenced through: always the entity's own; of a proxy check all of the entity's;
 * of any other those that brought the check to the entity.
 */
export const silenceableSubscriptions = (event: Event): readonly string[] => {
  const own = entitySubscription(event.entity.metadata.name);
  const { check, entity } = event;
  if (check === undefined) return [];
  if (check.proxy_entity_name !== '') return [own, ...entity.subscriptions];
  const held = new Set(entity.subscriptions);
  return [own, ...check.subscriptions.filter((subscription) => held.has(subscription))];
};

/** Names of the entries that silence an event, each once, in the order given. */
export const silencedBy = (event: Event, entries: readonly Silenced[], nowSeconds: number): string[] => {
  const check = event.check;
  if (check === undefined || entries.length === 0) return [];
  const subscriptions = silenceableSubscriptions(event);
  const names = new Set<string>();
  for (const entry of entries) {
    if (!covers(entry.check, check.metadata.name)) continue;
    if (!subscriptions.some((subscription) => covers(entry.subscription, subscription))) continue;
    if (isActive(entry, nowSeconds)) names.add(entry.metadata.name);
  }
  return [...names];
};
