// Check definitions of ours in the words of the earlier generation, the requests made of them, and the pipes requests are
// put into.
import type { CheckConfig } from '../../model/check/check.ts';
import type { HookConfig } from '../../model/check/hook.ts';
import { attributesOf } from '../../model/earlier/attributes.ts';
import { isHookKey } from '../../model/earlier/check-rules.ts';
import { isMap, type Json } from '../../model/earlier/json.ts';
import { type Pipe, pipeOf } from '../../model/earlier/pipes.ts';
import { substitute, tokensOfClients } from '../../model/earlier/tokens.ts';
import type { ClientRecord, ClientResult } from './client-facts.ts';

const entityPrefix = 'entity:';

/** The pipe that reaches one client. */
export const clientPipe = (name: string): Pipe => pipeOf(`client:${name}`);

/** Where a request for a subscription goes: an `entity:` subscription also reaches the client of that name. */
export const requestPipe = (subscription: string): Pipe =>
  subscription.startsWith(entityPrefix)
    ? clientPipe(subscription.slice(entityPrefix.length))
    : pipeOf(subscription);

/** Whether one client after the other runs a check for this subscription, and it is for us to say whose turn it is. */
export const isInTurn = ({ round_robin }: CheckConfig, subscription: string): boolean =>
  round_robin && !subscription.includes(':');

/** Whether a client is one of those that take turns. */
export const takesTurns = ({ subscriptions }: ClientRecord, subscription: string): boolean =>
  Array.isArray(subscriptions) &&
  (subscriptions.includes(subscription) || subscriptions.includes(`roundrobin:${subscription}`));

/**
 * The hooks of a definition as clients know them: one command a status. Where a status names several hooks, it is the first
 * that exists.
 */
export const requestedHooks = (
  { check_hooks: lists, metadata }: CheckConfig,
  find: (name: string) => HookConfig | undefined,
): Json => {
  const named = (lists ?? []).flatMap((list) => Object.entries(list));
  const hooks = named.flatMap(([status, names]) => {
    const hook = (names ?? []).map(find).find((one) => one !== undefined);
    if (hook === undefined || !isHookKey(status)) return [];
    const { timeout, stdin } = hook;
    const command = tokensOfClients(hook.command, hook.metadata);
    return [[status, { command, ...(timeout > 0 ? { timeout } : {}), ...(stdin ? { stdin } : {}) }] as const];
  });
  const { hooks: annotated } = attributesOf(metadata);
  // The first one of a status counts, as it does for agents.
  const all = { ...Object.fromEntries(hooks.reverse()), ...(isMap(annotated) ? annotated : {}) };
  return Object.keys(all).length === 0 ? {} : { hooks: all };
};

/**
 * Whom a definition names. One without handlers leaves it to the result, which then goes to the handler `default`; one with
 * pipelines alone goes to those alone.
 */
const handlersOfDefinition = ({ handlers, pipelines, metadata }: CheckConfig): Json => {
  if (handlers.length > 0) return { handlers };
  const { handler, handlers: annotated } = attributesOf(metadata);
  const hasPipelinesOnly = (pipelines ?? []).length > 0 && handler === undefined && annotated === undefined;
  return hasPipelinesOnly ? { handlers } : {};
};

const set = (entries: readonly (readonly [string, unknown, boolean])[]): Json =>
  Object.fromEntries(entries.filter(([, , given]) => given).map(([key, value]) => [key, value]));

const requested = (config: CheckConfig): Json => ({
  ...attributesOf(config.metadata),
  ...set([
    [
      'command',
      tokensOfClients(config.command ?? '', config.metadata),
      config.command !== undefined && config.command !== '',
    ],
    ['timeout', config.timeout, config.timeout > 0],
    ['ttl', config.ttl, config.ttl > 0],
    ['ttl_status', config.ttl_status, config.ttl_status !== undefined],
    ['stdin', true, config.stdin],
    ['source', config.proxy_entity_name, config.proxy_entity_name !== ''],
    ['low_flap_threshold', config.low_flap_threshold, config.low_flap_threshold > 0],
    ['high_flap_threshold', config.high_flap_threshold, config.high_flap_threshold > 0],
    ['proxy_requests', config.proxy_requests, isMap(config.proxy_requests)],
    ['publish', false, !config.publish],
  ]),
  ...handlersOfDefinition(config),
  name: config.metadata.name,
});

/** The message: the definition without subscriptions and interval, with the time it was issued. */
export const checkRequest = (config: CheckConfig, issuedSeconds: number): Json => ({
  ...requested(config),
  issued: issuedSeconds,
});

/** The definition as people of the earlier generation read it. */
export const checkDefinition = (config: CheckConfig): Json => ({
  ...requested(config),
  subscribers: config.subscriptions,
  ...(config.cron === undefined || config.cron === ''
    ? { interval: config.interval }
    : { cron: config.cron }),
});

/** Clients run it by their own clocks: nobody asks them to, and it is no definition of the server's. */
export const isStandalone = (config: CheckConfig): boolean =>
  attributesOf(config.metadata)['standalone'] === true;

/**
 * What a result leaves out, its definition here says; what both say, the result does. A result of a proxy client shows the
 * command as it was defined: the tokens in it were filled in by us.
 */
export const completedResult = (
  result: ClientResult,
  config: CheckConfig | undefined,
  record: ClientRecord,
): ClientResult => {
  if (config === undefined || result['standalone'] === true || isStandalone(config)) return result;
  const {
    source: _,
    handlers,
    handler,
    proxy_requests: __,
    publish: ___,
    ...definition
  } = checkDefinition(config);
  const isHandled = result['handler'] !== undefined || result['handlers'] !== undefined;
  const command = record['type'] === 'proxy' ? definition['command'] : undefined;
  return {
    ...definition,
    ...(isHandled
      ? {}
      : set([
          ['handler', handler, handler !== undefined],
          ['handlers', handlers, handlers !== undefined],
        ])),
    ...result,
    ...(command === undefined ? {} : { command }),
  };
};

/** Which clients a check is to run for, as its owner wrote it for the earlier generation; undefined: it is no such check. */
export const clientAttributes = (config: CheckConfig): Json | undefined => {
  const { proxy_requests: proxies } = attributesOf(config.metadata);
  if (!isMap(proxies)) return undefined;
  const { client_attributes: attributes } = proxies;
  return isMap(attributes) ? attributes : {};
};

/** Every attribute must match: equal, equal as text, or a map that matches in turn. Ruby (`eval:`) is not run here. */
export const matchesClient = (wanted: Json, record: Json): boolean =>
  Object.entries(wanted).every(([key, value]) => {
    const found = Object.hasOwn(record, key) ? record[key] : undefined;
    if (isMap(value) && isMap(found)) return matchesClient(value, found);
    if (found === undefined) return false;
    return JSON.stringify(value) === JSON.stringify(found) || String(value) === String(found);
  });

export type ProxyRequest =
  | { readonly ok: true; readonly request: Json }
  | { readonly ok: false; readonly unmatched: readonly string[] };

/** The request as it goes out for one client: tokens filled in from its record, and it is the source. */
export const proxyRequest = (request: Json, record: ClientRecord): ProxyRequest => {
  const { value, unmatched } = substitute(request, record);
  if (unmatched.length > 0) return { ok: false, unmatched };
  return { ok: true, request: { source: record['name'], ...(value as Json) } };
};
