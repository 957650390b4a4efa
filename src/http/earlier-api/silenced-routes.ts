// /silenced: silences in the format of the earlier generation.

import type { Json } from '../../model/earlier/json.ts';
import { clientNamespace } from '../../model/earlier/namespace.ts';
import {
  completeSilenced,
  type Silenced,
  silencedDurationFault,
  silencedName,
  silencedSchema,
} from '../../model/silence/silenced.ts';
import { isExpired } from '../../model/silence/silencing.ts';
import {
  type Ask,
  type EarlierBackend,
  type EarlierRoute,
  found,
  invalid,
  may,
  noContent,
  notFound,
} from './route.ts';

const segment = 'silenced';
const subscriptionPattern = /^[\w.\-:]+$/;
const checkPattern = /^[\w.-]+$/;

const stored = ({ backend, nowMs }: Pick<Ask, 'backend' | 'nowMs'>): readonly Silenced[] =>
  (
    backend.resources.list(segment, { namespace: clientNamespace }).items as unknown as readonly Silenced[]
  ).filter((entry) => !isExpired(entry, Math.floor(nowMs / 1000)));

/** `expire` is the remaining time; -1 means no end. */
const shown = (entry: Silenced, nowMs: number) => ({
  id: entry.metadata.name,
  subscription: entry.subscription || null,
  check: entry.check || null,
  reason: entry.reason || null,
  creator: entry.creator || null,
  begin: entry.begin > Math.floor(nowMs / 1000) ? entry.begin : null,
  expire_on_resolve: entry.expire_on_resolve,
  timestamp: entry.begin,
  expire: entry.expire_at > 0 ? entry.expire_at - Math.floor(nowMs / 1000) : -1,
});

const part = (body: Json, key: 'subscription' | 'check', pattern: RegExp): string => {
  const value = body[key];
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string' || !pattern.test(value))
    throw invalid(`${key} cannot contain spaces or special characters`);
  return value;
};

const whole = (body: Json, key: 'begin' | 'expire'): number => {
  const value = body[key];
  if (value === undefined || value === null) return 0;
  if (!Number.isInteger(value) || (value as number) < 0) throw invalid(`${key} must be a positive integer`);
  return value as number;
};

const optionalText = (body: Json, key: 'reason' | 'creator'): string => {
  const value = body[key];
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw invalid(`${key} must be a string`);
  return value;
};

const create = async ({ backend, body, nowMs, username, silencing }: Ask): Promise<void> => {
  const subscription = part(body, 'subscription', subscriptionPattern);
  const check = part(body, 'check', checkPattern);
  if (subscription === '' && check === '') throw invalid('must provide check or subscription');
  const { expire_on_resolve = false } = body;
  if (typeof expire_on_resolve !== 'boolean') throw invalid('expire_on_resolve must be boolean');
  const { defaultExpireSeconds, maxExpireSeconds } = silencing;
  const nowSeconds = Math.floor(nowMs / 1000);
  const creator = optionalText(body, 'creator');
  const entry = silencedSchema.parse({
    metadata: { name: silencedName(subscription, check), namespace: clientNamespace, created_by: username },
    subscription,
    check,
    begin: whole(body, 'begin'),
    expire: whole(body, 'expire'),
    expire_on_resolve,
    reason: optionalText(body, 'reason'),
  });
  const complete = completeSilenced(entry, {
    creator: creator === '' ? username : creator,
    nowSeconds,
    ...(defaultExpireSeconds > 0 ? { defaultExpireSeconds } : {}),
  });
  const fault = silencedDurationFault(complete, nowSeconds, maxExpireSeconds);
  if (fault !== null) throw invalid(fault);
  const { name } = complete.metadata;
  await backend.resources.put({ segment, namespace: clientNamespace, name }, complete as never);
};

const idOf = (body: Json): string => {
  if (typeof body['id'] === 'string') return body['id'];
  const [subscription, check] = [body['subscription'], body['check']];
  if (typeof subscription !== 'string' && typeof check !== 'string')
    throw invalid('id, subscription or check must be a string');
  return silencedName(String(subscription ?? ''), String(check ?? ''));
};

const clear = async (backend: EarlierBackend, name: string): Promise<boolean> => {
  if (backend.resources.get(segment, clientNamespace, name) === undefined) return false;
  await backend.resources.delete({ segment, namespace: clientNamespace, name });
  return true;
};

const list = may('list', segment);

const listBy = (key: 'subscription' | 'check'): EarlierRoute => ({
  method: 'GET',
  path: `/silenced/${key}s/*value`,
  access: list,
  handle: (ask) =>
    found(
      stored(ask)
        .filter((entry) => entry[key] === ask.params['value'])
        .map((entry) => shown(entry, ask.nowMs)),
    ),
});

export const silencedRoutes: readonly EarlierRoute[] = [
  {
    method: 'GET',
    path: '/silenced',
    access: list,
    handle: (ask) => found(stored(ask).map((entry) => shown(entry, ask.nowMs))),
  },
  {
    method: 'POST',
    path: '/silenced',
    access: may('create', segment),
    handle: async (ask) => {
      await create(ask);
      return { code: 201 };
    },
  },
  {
    method: 'POST',
    path: '/silenced/clear',
    access: may('delete', segment),
    handle: async ({ backend, body }) => ((await clear(backend, idOf(body))) ? noContent : notFound),
  },
  {
    method: 'GET',
    path: '/silenced/ids/*id',
    access: may('get', segment),
    handle: (ask) => {
      const entry = stored(ask).find(({ metadata }) => metadata.name === ask.params['id']);
      return entry === undefined ? notFound : found(shown(entry, ask.nowMs));
    },
  },
  listBy('subscription'),
  listBy('check'),
];
