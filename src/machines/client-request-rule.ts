// Check requests for clients: a check definition of ours in the words of the earlier generation, and the pipes it is put
// into (earlier-client sheet 1.7 and 5.4).
import type { CheckConfig } from '../model/check.ts';
import { attributesAnnotation } from './client-event-rule.ts';

export type PipeType = 'direct' | 'fanout';
export interface Pipe {
  readonly type: PipeType;
  readonly name: string;
}

/** `roundrobin:` and `direct:` reach one member; everything else reaches all. */
export const pipeOf = (subscription: string): Pipe => ({
  type: /^(roundrobin|direct):/.test(subscription) ? 'direct' : 'fanout',
  name: subscription,
});

const entityPrefix = 'entity:';

/** Where a request goes: an `entity:` subscription also reaches the client of that name. */
export const requestPipes = (subscriptions: readonly string[], roundRobin: boolean): readonly Pipe[] =>
  subscriptions.map((subscription) => {
    if (subscription.startsWith(entityPrefix))
      return pipeOf(`client:${subscription.slice(entityPrefix.length)}`);
    return pipeOf(roundRobin && !subscription.includes(':') ? `roundrobin:${subscription}` : subscription);
  });

const set = (entries: readonly (readonly [string, unknown, boolean])[]): Record<string, unknown> =>
  Object.fromEntries(entries.filter(([, , given]) => given).map(([key, value]) => [key, value]));

const ownAttributes = (config: CheckConfig): Record<string, unknown> => {
  const stored = config.metadata.annotations?.[attributesAnnotation];
  if (stored === undefined) return {};
  try {
    const parsed: unknown = JSON.parse(stored);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
};

/** The message: the definition without subscriptions and interval, with the time it was issued. */
export const checkRequest = (
  config: CheckConfig,
  issuedSeconds: number,
): Readonly<Record<string, unknown>> => ({
  ...ownAttributes(config),
  ...set([
    ['command', config.command, config.command !== undefined && config.command !== ''],
    ['timeout', config.timeout, config.timeout > 0],
    ['ttl', config.ttl, config.ttl > 0],
    ['ttl_status', config.ttl_status, config.ttl_status !== undefined],
    ['stdin', true, config.stdin],
    ['source', config.proxy_entity_name, config.proxy_entity_name !== ''],
    ['low_flap_threshold', config.low_flap_threshold, config.low_flap_threshold > 0],
    ['high_flap_threshold', config.high_flap_threshold, config.high_flap_threshold > 0],
  ]),
  handlers: config.handlers,
  name: config.metadata.name,
  issued: issuedSeconds,
});
