// Finds the silences that match an event. Runs once per event, before the check machine. A silenced event is still
// stored; it is only marked.
import type { Event } from '../event/event.ts';
import { eventKind } from '../kinds/watching.ts';
import { remember } from '../memo.ts';
import { entitySubscription } from '../resource/names.ts';
import { parseSelector, selects } from '../resource/selectors.ts';
import { isInWindow, type SilenceWindow } from './silence-windows.ts';
import type { Silenced } from './silenced.ts';

/**
 * When a silence holds, in wall milliseconds: from `beginMs` on, until `endMs` exclusive; null: it has no end of its own. With
 * windows only while one of them is open.
 */
export interface SilenceSpan {
  readonly beginMs: number;
  readonly endMs: number | null;
  readonly windows?: readonly SilenceWindow[];
}

/** A silence is still in force in the very second of `expire_at`. */
export const spanOf = ({
  begin,
  expire_at,
  windows,
}: Pick<Silenced, 'begin' | 'expire_at' | 'windows'>): SilenceSpan => ({
  beginMs: begin * 1000,
  endMs: expire_at > 0 ? (expire_at + 1) * 1000 : null,
  ...(windows && windows.length > 0 ? { windows } : {}),
});

/** The one rule for the time of a silence: events are matched by it, and its statechart follows it. */
export const phaseAt = (
  { beginMs, endMs, windows }: SilenceSpan,
  nowMs: number,
): 'pending' | 'active' | 'over' => {
  if (endMs !== null && endMs <= nowMs) return 'over';
  return beginMs > nowMs || !isInWindow(windows, nowMs) ? 'pending' : 'active';
};

export const isExpired = (entry: Silenced, nowSeconds: number): boolean =>
  phaseAt(spanOf(entry), nowSeconds * 1000) === 'over';

/** Started and not expired. */
export const isActive = (entry: Silenced, nowSeconds: number): boolean =>
  phaseAt(spanOf(entry), nowSeconds * 1000) === 'active';

const covers = (pattern: string | undefined, value: string): boolean =>
  pattern === undefined || pattern === '' || pattern === '*' || pattern === value;

/**
 * The subscriptions through which an event can be silenced: always the entity's own subscription, plus all
 * subscriptions of the entity for proxy checks, or for other checks those shared by check and entity.
 */
const silenceableSubscriptions = (event: Event): readonly string[] => {
  const own = entitySubscription(event.entity.metadata.name);
  const { check, entity } = event;
  if (check === undefined) return [];
  if (check.proxy_entity_name !== '') return [own, ...entity.subscriptions];
  const held = new Set(entity.subscriptions);
  return [own, ...check.subscriptions.filter((subscription) => held.has(subscription))];
};

const keptSelectors = 1_000;
const selectorOf = remember(keptSelectors, parseSelector);

/** One that cannot be read covers nothing: it was refused when it was written. */
const isSelected = ({ selector }: Silenced, event: Event): boolean => {
  if (selector === undefined || selector === '') return true;
  const reading = selectorOf(selector);
  return reading.ok && selects(reading.selector, (name) => eventKind.field(event as never, name));
};

/** Which of the entries cover an event whenever they hold, in the given order. */
export const coveredBy = (event: Event, entries: readonly Silenced[]): readonly Silenced[] => {
  const { check } = event;
  if (check === undefined || entries.length === 0) return [];
  const subscriptions = silenceableSubscriptions(event);
  return entries.filter(
    (entry) =>
      covers(entry.check, check.metadata.name) &&
      subscriptions.some((subscription) => covers(entry.subscription, subscription)) &&
      isSelected(entry, event),
  );
};

/** Names of the entries that silence an event, each once, sorted: the order of the entries is another after a restart. */
export const silencedBy = (event: Event, entries: readonly Silenced[], nowSeconds: number): string[] => {
  const active = coveredBy(event, entries).filter((entry) => isActive(entry, nowSeconds));
  return [...new Set(active.map(({ metadata }) => metadata.name))].sort();
};
