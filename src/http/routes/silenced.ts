// Silences: named after what they silence, and hidden once expired.
import type { Resource } from '../../actors/resources/resource-table.ts';
import type { Resources } from '../../actors/resources/resources.ts';
import { MonError } from '../../model/errors.ts';
import { silencedKind } from '../../model/kinds/watching.ts';
import { completeSilenced, type Silenced, silencedDurationFault } from '../../model/silenced.ts';
import { isExpired } from '../../model/silencing.ts';
import { answerList } from '../listing.ts';
import { collectionUrl, resourceRoutes } from '../resource-routes.ts';
import { type Answer, type Call, type GuardedRoute, type Parameters, parameter } from '../route.ts';
import { listOf, type RouteDoc } from '../route-doc.ts';

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

export const silencedRoutes = (
  table: Resources,
  wallMs: () => number,
  limits: SilencingLimits,
): readonly GuardedRoute[] => {
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
    }),
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
