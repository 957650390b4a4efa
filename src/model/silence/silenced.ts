// Silences as resources that operators write. Their effect on events is in `silencing.ts`.
import { z } from 'zod';
import { eventFieldNames, isEventField } from '../event/event-fields.ts';
import { maxSilenceSelectorCharacters } from '../limits.ts';
import { metadataSchema } from '../resource/metadata.ts';
import { nameFault, namespaceFault, subscriptionFault } from '../resource/names.ts';
import { parseSelector } from '../resource/selectors.ts';
import { nearestName } from '../resource/unknown-fields.ts';
import { flag, integer, text } from '../schema/quick-types.ts';
import { silenceWindowsFault, silenceWindowsSchema } from './silence-windows.ts';

/** The value of `expire` for a silence without an end. */
const noExpiry = -1;

export const silencedSchema = z.object({
  metadata: metadataSchema.default({ name: '' }).describe('Name, namespace, labels and annotations.'),
  /** Seconds after `begin`; -1 for no end. The configured value, not a countdown. */
  expire: integer(noExpiry).meta({
    description: 'How long it lasts from its begin; -1: no end.',
    'x-unit': 'seconds',
  }),
  expire_on_resolve: flag(false).describe('Whether it ends when the check passes.'),
  creator: text().optional().describe('Who made it.'),
  check: text().optional().describe('Check that it silences; empty: all.'),
  reason: text().optional().describe('Why; shown to everybody.'),
  subscription: text().optional().describe('Subscription that it silences, or entity:NAME; empty: all.'),
  /** Unix time in seconds; a future value schedules the silence. */
  begin: integer(0).meta({ description: 'When it begins; 0: at once.', 'x-unit': 'seconds since 1970' }),
  /** Unix time in seconds; 0 means never. */
  expire_at: integer(0).meta({
    description: 'When it ends; worked out of begin and expire; 0: never.',
    'x-unit': 'seconds since 1970',
  }),
  selector: text()
    .optional()
    .describe(
      "Events that it silences, as a field selector of events: event.labels.region == 'eu' && event.check.name == 'backup'.",
    ),
  windows: silenceWindowsSchema
    .nullish()
    .describe('Regular times in which it holds, between its begin and its end; empty: all the time.'),
});
export type Silenced = z.infer<typeof silencedSchema>;

const isAny = (part: string | undefined): boolean => part === undefined || part === '' || part === '*';

/** `linux:*`, `*:cpu` or `entity:web01:disk`: the name is derived from subscription and check. */
export const silencedName = (subscription: string | undefined, check: string | undefined): string =>
  `${isAny(subscription) ? '*' : subscription}:${isAny(check) ? '*' : check}`;

/** One with a selector has a name of its own choice, without a colon, so that it is never that of another silence. */
const ownNameFault = ({ metadata }: Silenced): string | null => {
  if (metadata.name === '') return 'metadata.name must not be empty: a silence with a selector needs a name';
  return metadata.name.includes(':')
    ? `metadata.name of a silence with a selector must not contain a colon (got ${metadata.name})`
    : nameFault('metadata.name', metadata.name);
};

/** Fields that follow from silences. */
const circular = /^event\.(?:check\.)?is_silenced$/;

const selectorFault = (selector: string): string | null => {
  if (selector.length > maxSilenceSelectorCharacters)
    return `selector must be at most ${maxSilenceSelectorCharacters} characters`;
  const reading = parseSelector(selector);
  if (!reading.ok) return `selector: ${reading.message}`;
  for (const { field } of reading.selector) {
    if (circular.test(field)) return `selector must not use ${field}, which follows from silences`;
    if (isEventField(field)) continue;
    const nearest = nearestName(field, eventFieldNames);
    return `selector: events have no field ${field}${nearest === undefined ? '' : `, did you mean ${nearest}?`}`;
  }
  return null;
};

const hasSelector = ({ selector }: Silenced): boolean => selector !== undefined && selector !== '';

export const validateSilenced = (entry: Silenced): string | null => {
  const { subscription, check, selector = '', windows } = entry;
  if (isAny(subscription) && isAny(check) && !hasSelector(entry)) return 'must provide check or subscription';
  return (
    (isAny(subscription) ? null : subscriptionFault('Subscription', subscription ?? '')) ??
    (isAny(check) ? null : nameFault('Check', check ?? '')) ??
    (hasSelector(entry) ? (ownNameFault(entry) ?? selectorFault(selector)) : null) ??
    silenceWindowsFault(windows ?? []) ??
    namespaceFault(entry.metadata.namespace)
  );
};

export interface SilencedDefaults {
  readonly creator: string;
  /** Unix time in seconds. */
  readonly nowSeconds: number;
  /** Applied to silences without an end; if absent, they stay without one. */
  readonly defaultExpireSeconds?: number;
}

/** A silence as stored: with its name, its begin time and its computed end. */
export const completeSilenced = (entry: Silenced, defaults: SilencedDefaults): Silenced => {
  const begin = entry.begin > 0 ? entry.begin : defaults.nowSeconds;
  const asked = entry.expire > 0 || entry.expire_at > 0 ? entry.expire : (defaults.defaultExpireSeconds ?? 0);
  const expire = asked > 0 ? asked : noExpiry;
  const computed = expire > 0 ? begin + expire : 0;
  const {
    metadata,
    expire: _asked,
    creator: _claimed,
    begin: _from,
    expire_at: _until,
    expire_on_resolve,
    ...rest
  } = entry;
  // In schema order, whatever the order of the input, so that equal silences serialize to the same text.
  return {
    metadata: hasSelector(entry)
      ? metadata
      : { ...metadata, name: silencedName(entry.subscription, entry.check) },
    expire,
    expire_on_resolve,
    creator: defaults.creator,
    ...rest,
    begin,
    expire_at: entry.expire_at > 0 ? entry.expire_at : computed,
  };
};

/** Why a silence lasts too long from now, or null. `maxSeconds` 0 means no limit. */
export const silencedDurationFault = (
  entry: Silenced,
  nowSeconds: number,
  maxSeconds: number,
): string | null => {
  if (maxSeconds <= 0) return null;
  const tooLong = entry.expire_at === 0 || entry.expire_at - nowSeconds > maxSeconds;
  return tooLong ? 'Threshold reached: silenced crossed maximum duration allowed' : null;
};
