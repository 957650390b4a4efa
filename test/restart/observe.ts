// Everything that can be seen of a backend from outside and through its live inspection, as plain data to compare: every GET
// of the API as two users, headers, figures, the order of the event list, what every actor waits for.

import { configurationCheck } from '../../src/actors/compose/compose-problems.ts';
import { nameIn } from '../../src/actors/events/event-scope.ts';
import { refusalsCheckName } from '../../src/actors/families/client/refusals.ts';
import { platformNamespace } from '../../src/actors/platform/platform-events.ts';
import type { keys, Player } from './player.ts';

export type Seen = Readonly<Record<string, unknown>>;

/** What depends on the moment of the last start by design: the grace for keepalives. */
export interface Moment {
  /** Long after the last kill: every grace is over. */
  readonly settled: boolean;
}

const skippedRoutes = ['/stream', '/metrics', '/docs', '/openapi.json', '/oidc/', '/auth'];
/** Counted towards nothing anybody promised. */
const skippedHeaders = ['date', 'content-length', 'etag', 'connection', 'keep-alive'];
const watched = ['entity:', 'check:', 'silence:', 'schedule:', 'client:'];

export const observe = async (player: Player, moment: Moment): Promise<Seen> => ({
  ...(await gets(player, moment)),
  ...figures(player),
  ...actors(player, moment),
  ...clients(player, moment),
});

const gets = async (player: Player, moment: Moment): Promise<Seen> => {
  /** By header and user: every value that some answer had. */
  const told: Record<string, unknown[]> = {};
  const seen: Record<string, unknown> = { headers: told };
  const urls = player.api.routes
    .filter(({ method, url }) => method === 'GET' && !skippedRoutes.some((part) => url.includes(part)))
    .map(({ url }) => url);
  const names = new Map<string, readonly string[]>();
  const look = async (url: string, as: keyof typeof keys): Promise<string> => {
    const { status, headers, body } = await player.ask({ method: 'GET', url: encodeURI(url) }, as);
    for (const [name, value] of Object.entries(headers)) {
      if (skippedHeaders.includes(name)) continue;
      const key = `${name} for ${as}`;
      told[key] = [...new Set([...(told[key] ?? []), value])];
    }
    seen[`${as} GET ${url}`] = { status, body: plain(body, moment) };
    return body;
  };
  for (const url of urls.filter((url) => !/:(?!namespace)/.test(url))) {
    for (const namespace of url.includes(':namespace') ? ['default', 'team-a'] : ['']) {
      const place = url.replace(':namespace', namespace);
      const body = await look(place, 'admin');
      await look(place, 'viewer');
      names.set(place, namesIn(body));
    }
  }
  for (const url of urls.filter((url) => /\/:name$/.test(url))) {
    const list = url.replace('/:name', '').replace(':namespace', 'default');
    for (const name of names.get(list) ?? [])
      if (moment.settled || name !== platformNamespace) await look(`${list}/${name}`, 'admin');
  }
  for (const name of names.get('/api/core/v2/namespaces/default/events') ?? []) {
    const one = `/api/core/v2/namespaces/default/events/${name}`;
    await look(one, 'admin');
    // A start tries again at once what waits for another try.
    if (moment.settled && !name.endsWith('/keepalive')) await look(`${one}/trace`, 'admin');
  }
  return seen;
};

const namesIn = (body: string): readonly string[] => {
  let items: unknown;
  try {
    items = JSON.parse(body);
  } catch {
    return [];
  }
  if (!Array.isArray(items)) return [];
  return items.flatMap((item: Named) => {
    if (item.entity?.metadata && item.check?.metadata)
      return `${item.entity.metadata.name}/${item.check.metadata.name}`;
    return item.metadata?.name ?? item.username ?? item.name ?? [];
  });
};

interface Named {
  readonly name?: string;
  readonly username?: string;
  readonly metadata?: { readonly name: string; readonly namespace?: string };
  readonly entity?: Named;
  readonly check?: Named & { readonly status?: number };
  readonly id?: unknown;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-/;
const scenarioIds = '10000000-';

/** Parsed, without what is made up at random, and without what depends on when silence was noticed. */
const plain = (body: string, moment: Moment): unknown => {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return body;
  }
  return lasting(value, moment);
};

/**
 * Events of the platform about what lasts for a while: what is wrong with the definitions, and whose messages are refused. To
 * notice it takes some time, which a start begins anew.
 */
const noticedLate: readonly string[] = [configurationCheck, refusalsCheckName];

/** With everything it takes to tell of it: the namespace of the platform, and what is in it. */
const isNoticedLate = (item: Named | null): boolean =>
  [item?.name, item?.metadata?.name, item?.metadata?.namespace, item?.entity?.metadata?.namespace].includes(
    platformNamespace,
  );

const lasting = (value: unknown, moment: Moment): unknown => {
  if (Array.isArray(value)) {
    const items = moment.settled ? value : value.filter((item) => !isNoticedLate(item));
    return items.map((item) => lasting(item, moment));
  }
  if (typeof value !== 'object' || value === null) return value;
  const item = value as Named & Readonly<Record<string, unknown>>;
  if (item.check?.metadata?.name === 'keepalive' && item.entity !== undefined)
    return { keepaliveOf: item.entity.metadata?.name, failing: (item.check.status ?? 0) > 0 };
  const check = item.check?.metadata?.name ?? '';
  if (noticedLate.includes(check) && item.entity !== undefined)
    return { [check]: item.entity.metadata?.name, failing: (item.check?.status ?? 0) > 0 };
  return Object.fromEntries(
    Object.entries(item).flatMap(([key, field]) => {
      // When a delivery was tried is no promise: a start tries at once what waits for another try.
      if (key === 'cursor' || key === 'startedAtMs') return [];
      const isMadeUp = typeof field === 'string' && uuid.test(field) && !field.startsWith(scenarioIds);
      if (key === 'id' && isMadeUp) return [[key, '<made up>']];
      return [[key, lasting(field, moment)]];
    }),
  );
};

const figures = (player: Player): Seen => {
  const { backend } = player.world;
  const { entities, sessions, checksStopped } = backend.gauges();
  const urgent = [...backend.events.urgent({ namespace: 'default' }, undefined)]
    .filter(({ key }) => !key.endsWith('/keepalive'))
    .map(({ key, since, rank, silenced }) => ({
      name: nameIn({ namespace: 'default' }, key),
      since,
      rank,
      silenced,
    }));
  return {
    gauges: { entities, sessions, checksStopped },
    allowance: backend.entityAllowance(),
    'order of events': urgent,
    counts: backend.events.counts({ namespace: 'default' }),
  };
};

/** Every actor that stands for something durable, where it stands, and when each of its waits ends. */
const actors = (player: Player, { settled }: Moment): Seen => {
  const { runtime } = player.world.backend;
  const seen: Record<string, unknown> = {};
  for (const prefix of watched) {
    for (const { id, value } of runtime.actors(prefix)) {
      if (isBlank(value)) continue;
      if (!settled && /^\w+:mon-system\//.test(id)) continue;
      const isSilenceOfAgent = id.endsWith('/keepalive') || prefix === 'entity:' || prefix === 'client:';
      const waits = (runtime.actor(id)?.deadlines ?? []).map(({ name, atMs }) =>
        isSilenceOfAgent ? name : `${name} at ${Math.round(atMs / 1000)}`,
      );
      const stands = settled ? value : withoutDelivery(value);
      seen[id] = settled || !isSilenceOfAgent ? { value: stands, waits } : { waits };
    }
  }
  return seen;
};

const withoutDelivery = (value: unknown): unknown =>
  typeof value === 'object' ? { ...value, delivery: undefined } : value;

/** Somebody asked for it, and it came to nothing. */
const isBlank = (value: unknown): boolean =>
  value === undefined ||
  value === 'unregistered' ||
  (typeof value === 'object' && value !== null && (value as { result?: string }).result === 'awaiting');

const clients = (player: Player, _moment: Moment): Seen => ({
  clients: player.world.backend.clients.list().map(({ name, record, state }) => ({ name, record, state })),
});
