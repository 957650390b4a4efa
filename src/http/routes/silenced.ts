// Silences: named after what they silence, and hidden once expired.
import { z } from 'zod';
import type { EndedSilence, SilenceFigures } from '../../actors/families/silence/silence-book.ts';
import type { SilenceStanding } from '../../actors/families/silence/silence-overview.ts';
import type { Resource } from '../../actors/resources/resource-table.ts';
import { MonError } from '../../model/errors.ts';
import { silencedKind } from '../../model/kinds/watching.ts';
import { completeSilenced, type Silenced, silencedDurationFault } from '../../model/silence/silenced.ts';
import { isExpired } from '../../model/silence/silencing.ts';
import type { BackendPort } from '../backend-port.ts';
import { answerList } from '../listing.ts';
import { collectionUrl, resourceRoutes } from '../resource-routes.ts';
import { type Answer, type Call, type GuardedRoute, ok, type Parameters, parameter } from '../route.ts';
import { json, listOf, type RouteDoc } from '../route-doc.ts';

export interface SilencingLimits {
  /** Default duration of silences without an end; 0 means none. */
  readonly defaultExpireSeconds: number;
  /** Maximum duration of a silence from now; 0 means no limit. */
  readonly maxExpireSeconds: number;
}

export const noSilencingLimits: SilencingLimits = { defaultExpireSeconds: 0, maxExpireSeconds: 0 };

const collection = collectionUrl(silencedKind);

const listDoc = (what: string): RouteDoc => ({
  tag: silencedKind.path,
  summary: `List silences of a ${what}`,
  answers: { 200: { what: 'silences that have not expired', shape: listOf(silencedKind) } },
});

const standingShape = {
  suppressed: z.number(),
  last_suppressed: z.number(),
  silence: z.record(z.string(), z.unknown()),
};

const overviewSchema = z.object({
  silences: z.array(z.object({ phase: z.enum(['pending', 'active']), covers: z.number(), ...standingShape })),
  ended: z.array(
    z.object({
      why: z.enum(['timeOver', 'resolved', 'cleared']),
      by: z.string(),
      at: z.number(),
      ...standingShape,
    }),
  ),
});

const overviewDoc: RouteDoc = {
  tag: silencedKind.path,
  summary:
    'Get what the silences of a namespace cover and held back, and which ended lately, why and by whom',
  answers: {
    200: {
      what: 'the silences that have not ended, and the last that have',
      shape: json(overviewSchema, {
        silences: [
          {
            phase: 'active',
            covers: 12,
            suppressed: 3,
            last_suppressed: 1_700_000_000,
            silence: { metadata: { name: 'backups', namespace: 'default' } },
          },
        ],
        ended: [],
      }),
    },
  },
};

const shownFigures = ({ suppressed, last, silence }: SilenceFigures & { readonly silence: unknown }) => ({
  suppressed,
  last_suppressed: last,
  silence: silencedKind.toWire(silence as Resource),
});

const shownStanding = ({ phase, covers, ...more }: SilenceStanding) => ({
  phase,
  covers,
  ...shownFigures(more),
});
const shownEnd = ({ why, by, at, ...more }: EndedSilence) => ({ why, by, at, ...shownFigures(more) });

export const silencedRoutes = (
  backend: BackendPort,
  wallMs: () => number,
  limits: SilencingLimits,
): readonly GuardedRoute[] => {
  const table = backend.resources;
  const nowSeconds = () => Math.floor(wallMs() / 1_000);
  const visible = (resource: Resource) => !isExpired(resource as unknown as Silenced, nowSeconds());

  const listBy =
    (field: 'check' | 'subscription') =>
    (call: Call): Promise<Answer> => {
      const wanted = parameter(call, 'value');
      const { namespace } = call.parameters;
      const filter = (resource: Resource) => visible(resource) && resource[field] === wanted;
      const scope = namespace === undefined ? { filter } : { namespace, filter };
      return answerList(
        {},
        (page) => table.list(silencedKind.path, { ...scope, ...page }),
        silencedKind.toWire,
      );
    };
  const by = (segment: string) => ({
    resource: silencedKind.rbacResource,
    verb: 'list' as const,
    name: ({ value }: Parameters) => `${segment}/${value ?? ''}`,
  });

  return [
    ...resourceRoutes(silencedKind, table, {
      visible,
      complete: (resource, call) => {
        const silence = completeSilenced(resource as unknown as Silenced, {
          creator: call.principal.username,
          nowSeconds: nowSeconds(),
          ...(limits.defaultExpireSeconds > 0 ? { defaultExpireSeconds: limits.defaultExpireSeconds } : {}),
        });
        const fault = silencedDurationFault(silence, nowSeconds(), limits.maxExpireSeconds);
        if (fault !== null) throw new MonError('invalid', fault);
        return silence as unknown as Resource;
      },
      warnings: async (resource) => {
        const silence = resource as unknown as Silenced;
        const { namespace = '', name } = silence.metadata;
        return (await backend.silenceCovers(namespace, silence))
          ? []
          : [`silence ${name} covers no event that there is now`];
      },
      remove: ({ namespace, name }, { principal }, check) =>
        backend.clearSilence({ namespace, name }, principal.username, check),
    }),
    {
      method: 'GET',
      url: '/api/inspect/v1/namespaces/:namespace/silences',
      access: { resource: silencedKind.rbacResource, verb: 'list' },
      doc: overviewDoc,
      handle: async (call) => {
        const { silences, ended } = await backend.silences(parameter(call, 'namespace'));
        return ok({ silences: silences.map(shownStanding), ended: ended.map(shownEnd) });
      },
    },
    {
      method: 'GET',
      url: `${collection}/subscriptions/:value`,
      access: by('subscriptions'),
      doc: listDoc('subscription'),
      handle: listBy('subscription'),
    },
    {
      method: 'GET',
      url: `${collection}/checks/:value`,
      access: by('checks'),
      doc: listDoc('check'),
      handle: listBy('check'),
    },
    {
      method: 'GET',
      url: `${silencedKind.basePath}/${silencedKind.path}/checks/:value`,
      access: by('checks'),
      doc: listDoc('check in all namespaces'),
      handle: listBy('check'),
    },
  ];
};
