// Check definitions of ours in the words of the earlier generation, the requests made of them, and the pipes requests are
// put into (earlier-client sheet 1.7, 3.4, 3.11 and 5.4).
import type { CheckConfig } from '../model/check.ts';
import { attributesOf } from '../model/earlier/attributes.ts';
import { isMap, type Json } from '../model/earlier/json.ts';
import { type Pipe, pipeOf } from '../model/earlier/pipes.ts';
import { substitute } from '../model/earlier/tokens.ts';
import type { ClientRecord, ClientResult } from './client-facts.ts';

const entityPrefix = 'entity:';

/** Where a request goes: an `entity:` subscription also reaches the client of that name. */
export const requestPipes = (subscriptions: readonly string[], roundRobin: boolean): readonly Pipe[] =>
  subscriptions.map((subscription) => {
    if (subscription.startsWith(entityPrefix))
      return pipeOf(`client:${subscription.slice(entityPrefix.length)}`);
    return pipeOf(roundRobin && !subscription.includes(':') ? `roundrobin:${subscription}` : subscription);
  });

const set = (entries: readonly (readonly [string, unknown, boolean])[]): Json =>
  Object.fromEntries(entries.filter(([, , given]) => given).map(([key, value]) => [key, value]));

const requested = (config: CheckConfig): Json => ({
  ...attributesOf(config.metadata),
  ...set([
    ['command', config.command, config.command !== undefined && config.command !== ''],
    ['timeout', config.timeout, config.timeout > 0],
    ['ttl', config.ttl, config.ttl > 0],
    ['ttl_status', config.ttl_status, config.ttl_status !== undefined],
    ['stdin', true, config.stdin],
    ['source', config.proxy_entity_name, config.proxy_entity_name !== ''],
    ['low_flap_threshold', config.low_flap_threshold, config.low_flap_threshold > 0],
    ['high_flap_threshold', config.high_flap_threshold, config.high_flap_threshold > 0],
    ['proxy_requests', config.proxy_requests, isMap(config.proxy_requests)],
  ]),
  handlers: config.handlers,
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
 * command as it was defined: the tokens in it were filled in by us (earlier-client sheet 3.4).
 */
export const completedResult = (
  result: ClientResult,
  config: CheckConfig | undefined,
  record: ClientRecord,
): ClientResult => {
  if (config === undefined || result['standalone'] === true || isStandalone(config)) return result;
  const { source: _, handlers, handler, proxy_requests: __, ...definition } = checkDefinition(config);
  const isHandled = result['handler'] !== undefined || result['handlers'] !== undefined;
  const command = record['type'] === 'proxy' ? definition['command'] : undefined;
  return {
    ...definition,
    ...(isHandled ? {} : { ...(handler === undefined ? {} : { handler }), handlers }),
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
