// Parses the query parameters of the event list for the event index.
import { z } from 'zod';
import type { EventPlace } from '../../../actors/events/event-entry.ts';
import type { Grouping } from '../../../actors/events/event-grouping.ts';
import type { EventFilter, EventSearch } from '../../../actors/events/event-search.ts';
import { type Severity, severities } from '../../../machines/check/severity-rule.ts';
import { MonError } from '../../../model/errors.ts';
import type { CheckEvent } from '../../../model/event/event.ts';
import { eventKind } from '../../../model/kinds/watching.ts';
import { maxNameCharacters } from '../../../model/limits.ts';
import { selectorFilter, unreadableToken } from '../../listing.ts';
import type { Call } from '../../route.ts';
import { defaultPageSize, maxPageSize } from '../limits.ts';
import { parse } from '../request.ts';

const failing: readonly Severity[] = ['critical', 'warning', 'unknown'];
const states = [...severities, 'failing'] as const;

const stateList = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(states, { error: `must be one of ${states.join(', ')}` })));

/** Pages send empty parameters for absent ones. */
const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional());

const groupings = ['namespace', 'entity', 'check', 'owner'] as const;
const groupingSchema = z
  .string()
  .max(256)
  .refine((text) => (groupings as readonly string[]).includes(text) || /^label:./.test(text), {
    error: `must be one of ${groupings.join(', ')}, label:NAME`,
  })
  .transform((text) => text as Grouping);
/** `entity/check` */
const maxAddressCharacters = 2 * maxNameCharacters + 1;

const filterShape = {
  state: optional(stateList),
  silenced: optional(z.enum(['true', 'false'])),
  masked: optional(z.enum(['true', 'false'])),
  masked_by: optional(z.string().max(maxAddressCharacters)),
  depends_on: optional(z.string().max(maxAddressCharacters)),
  acknowledged: optional(z.enum(['true', 'false'])),
  owner: optional(z.string().max(2_000)),
  entity: optional(z.string().max(256)),
  check: optional(z.string().max(256)),
  search: optional(z.string().max(256)),
  fuzzy: optional(z.string().max(64)),
  namespaces: optional(z.string().max(16_384)),
  by: optional(groupingSchema),
  group: optional(z.string().max(1_024)),
};
const filterSchema = z.object(filterShape);
const groupsSchema = z.object({ by: groupingSchema });
const searchSchema = z.object({
  ...filterShape,
  order: optional(z.enum(['worst', 'newest', 'oldest', 'name'])),
  limit: optional(z.coerce.number().int().min(1).max(maxPageSize)),
  continue: optional(z.string().max(2_048)),
});

/** For the OpenAPI document: name to description. */
export const filterDoc = {
  state: `any of ${states.join(', ')}, separated by commas; \`failing\` is all but \`passing\``,
  silenced: '`true` or `false`: only events that are silenced now, or only those that are not',
  masked:
    '`true` or `false`: only failures that follow from a dependency that is down now, or only the others',
  masked_by: '`entity/check`: only events that this one masks now',
  depends_on: '`entity/check`: only events that depend on this one themselves or by their entity',
  acknowledged: '`true` or `false`: only incidents that somebody acknowledged, or only those that nobody did',
  owner: 'only incidents that this user takes care of',
  entity: 'only events of this entity',
  check: 'only events of this check',
  by: '`namespace`, `entity`, `check`, `owner` or `label:NAME`: only events of the `group` of this grouping; an empty or absent `group` is that of events without an owner or label',
  group: 'the name of the group, see `by`',
  fuzzy:
    'characters that occur in this order in `entity/check` (in a list of all namespaces: `namespace/entity/check`), case-insensitive',
  search: 'words that all occur in entity, check or output, case-insensitive',
  fieldSelector: "as in every list, e.g. `event.check.state == 'flapping'`",
  labelSelector: "as in every list, e.g. `region == 'eu'`",
} as const;
export const searchDoc = {
  order:
    '`worst` (default): by severity, then latest change first; `newest` result; `oldest`: longest in its severity; `name`',
  ...filterDoc,
  limit: `rows per page, at most ${maxPageSize}; default ${defaultPageSize}`,
  continue: 'the `next` token of the previous page',
} as const;

const flagOf = (text: 'true' | 'false' | undefined): boolean | undefined =>
  text === undefined ? undefined : text === 'true';

/** What of a call is read. */
type Asked = Pick<Call, 'parameters' | 'query'>;

export const filterOf = (call: Asked): EventFilter => {
  const asked = parse(filterSchema, call.query);
  const { state, silenced, masked, acknowledged, owner, entity, check, search, namespaces, by, group } =
    asked;
  const selector = selectorFilter<CheckEvent>(call.query, eventKind);
  return {
    namespace: call.parameters.namespace ?? '',
    only: namespaces === undefined ? undefined : new Set(namespaces.split(',')),
    severities: state?.flatMap((one) => (one === 'failing' ? failing : [one])),
    silenced: flagOf(silenced),
    masked: flagOf(masked),
    maskedBy: asked.masked_by,
    dependsOn: asked.depends_on,
    acknowledged: flagOf(acknowledged),
    owner,
    entity,
    check,
    group: by === undefined ? undefined : { by, name: group ?? '' },
    fuzzy: asked.fuzzy?.toLowerCase().replaceAll(/\s+/g, ''),
    words: (search ?? '').split(/\s+/).filter((word) => word !== ''),
    selector,
  };
};

/** What is grouped, and by what. */
export const groupingOf = (call: Asked): { readonly filter: EventFilter; readonly by: Grouping } => ({
  filter: { ...filterOf(call), group: undefined },
  by: parse(groupsSchema, call.query).by,
});

export const searchOf = (call: Call): EventSearch => {
  const { order, limit, continue: token } = parse(searchSchema, call.query);
  return {
    ...filterOf(call),
    order: order ?? 'worst',
    limit: limit ?? defaultPageSize,
    after: token === undefined ? undefined : readToken(token),
  };
};

const placeSchema = z.tuple([z.number(), z.number(), z.number(), z.string()]);

export const tokenOf = ({ rank, since, timestamp, key }: EventPlace): string =>
  Buffer.from(JSON.stringify([rank, since, timestamp, key])).toString('base64url');

/** Throws MonError `invalid` for a token that no page ended with, as every list does. */
const readToken = (token: string): EventPlace => {
  try {
    const [rank, since, timestamp, key] = placeSchema.parse(
      JSON.parse(Buffer.from(token, 'base64url').toString()),
    );
    return { rank, since, timestamp, key };
  } catch (error) {
    throw new MonError('invalid', unreadableToken('`next`'), { cause: error });
  }
};
