// From a due check to the clients that run it: a definition becomes a request in the pipes of its subscriptions, on every
// transport; a check about other clients becomes one request for each of them.
import type { ClientRecord } from '../../../machines/client/client-facts.ts';
import {
  checkRequest,
  clientAttributes,
  clientPipe,
  isInTurn,
  isStandalone,
  matchesClient,
  proxyRequest,
  requestedHooks,
  requestPipe,
  takesTurns,
} from '../../../machines/client/client-request-rule.ts';
import { proxyDelaysMs } from '../../../machines/schedule/proxy-splay-rule.ts';
import { ringOf } from '../../../machines/schedule/round-robin-rule.ts';
import type { CheckConfig } from '../../../model/check/check.ts';
import type { HookConfig } from '../../../model/check/hook.ts';
import { isMap, type Json } from '../../../model/earlier/json.ts';
import { clientNamespace } from '../../../model/earlier/namespace.ts';
import type { Pipe } from '../../../model/earlier/pipes.ts';
import { isSubdued } from '../../../model/earlier/subdue.ts';
import type { Turns } from '../schedule/turns.ts';

/** Somewhere requests are sent to: a broker, or the clients that are connected to us. */
export interface Outlet {
  /** No two outlets share one. */
  readonly name: string;
  /** `websocket`, `redis` or `rabbitmq`. */
  readonly kind: string;
  /** False while nothing that clients send through it can reach us. */
  isConnected(): boolean;
  publish(pipe: Pipe, message: string): Promise<void>;
}

export interface ClientIssue {
  /** Unix seconds. */
  readonly issued: number;
  /** In place of the definition's own, for one run. */
  readonly subscriptions?: readonly string[];
  /** Further attributes of the request, e.g. who asked for it. */
  readonly attributes?: Json;
}

export interface AwakeClient {
  readonly name: string;
  readonly record: ClientRecord;
  readonly via: string;
}

export interface ClientRequestsPorts {
  readonly outlets: () => Iterable<Outlet>;
  readonly records: () => readonly ClientRecord[];
  /** Clients that give signs of life, and the outlet each of them is reached through. */
  readonly awake: () => readonly AwakeClient[];
  readonly hook: (name: string) => HookConfig | undefined;
  readonly turns: Pick<Turns, 'take'>;
  readonly nowMs: () => number;
  readonly after: (delayMs: number, task: () => void) => void;
  readonly log: Record<'info' | 'warn', (fields: object, text: string) => void>;
  readonly onFault: (what: string, error: unknown) => void;
}

export class ClientRequests {
  readonly #ports: ClientRequestsPorts;

  constructor(ports: ClientRequestsPorts) {
    this.#ports = ports;
  }

  /** A definition is due. One that matches entities comes back through `ask`, once for each of them. */
  issue(config: CheckConfig, issue: ClientIssue): void {
    if (config.metadata.namespace !== clientNamespace || isStandalone(config)) return;
    if (config.proxy_requests) return;
    const { subdue } = checkRequest(config, issue.issued);
    const check = config.metadata.name;
    if (isSubdued(subdue, this.#ports.nowMs()))
      return this.#ports.log.info({ check }, 'check request was subdued');
    const wanted = clientAttributes(config);
    if (wanted === undefined) this.ask(config, issue);
    else this.#forClients(config, wanted, issue);
  }

  /** One request, as it is. */
  ask(config: CheckConfig, issue: ClientIssue): void {
    this.#publish(config, issue, this.#request(config, issue));
  }

  #request(config: CheckConfig, { issued }: ClientIssue): Json {
    return { ...checkRequest(config, issued), ...requestedHooks(config, this.#ports.hook) };
  }

  #forClients(config: CheckConfig, wanted: Json, issue: ClientIssue): void {
    const { records, nowMs, after, log } = this.#ports;
    const check = config.metadata.name;
    const request = this.#request(config, issue);
    const matched = records().filter((record) => matchesClient(wanted, record));
    const delays = proxyDelaysMs(splayed(config, request['proxy_requests']), matched.length, nowMs());
    for (const [index, record] of matched.entries()) {
      const made = proxyRequest(request, record);
      if (made.ok) after(delays[index] ?? 0, () => this.#publish(config, issue, made.request));
      else {
        const { unmatched } = made;
        log.warn({ check, client: record['name'], unmatched }, 'failed to publish a proxy check request');
      }
    }
  }

  #publish(config: CheckConfig, { subscriptions = [], attributes }: ClientIssue, request: Json): void {
    const asked = subscriptions.length === 0 ? config.subscriptions : subscriptions;
    const message = JSON.stringify({ ...request, ...attributes });
    for (const subscription of asked) {
      if (isInTurn(config, subscription)) this.#publishInTurn(config, subscription, message);
      else this.#publishToAll(requestPipe(subscription), message);
    }
  }

  #publishToAll(pipe: Pipe, message: string): void {
    const { outlets, awake } = this.#ports;
    // What waits in the list of a direct pipe for a client that never comes would be kept by a broker for ever.
    const takers = pipe.type === 'direct' ? new Set(subscribersOf(pipe, awake())) : undefined;
    for (const outlet of outlets())
      if (outlet.isConnected() && takers?.has(outlet.name) !== false) this.#send(outlet, pipe, message);
  }

  /** One rotation over the clients of all transports; it goes on after a restart. */
  #publishInTurn({ metadata: { name: check } }: CheckConfig, subscription: string, message: string): void {
    const { outlets, awake, turns } = this.#ports;
    const reachable = new Map(
      [...outlets()].filter((one) => one.isConnected()).map((one) => [one.name, one]),
    );
    const members = awake().filter(
      ({ record, via }) => reachable.has(via) && takesTurns(record, subscription),
    );
    const ring = ringOf(members.map(({ name }) => name));
    const [turn] = turns.take(clientNamespace, check, `clients:${subscription}`, ring, 1);
    const member = members.find(({ name }) => name === turn);
    const outlet = reachable.get(member?.via ?? '');
    if (member !== undefined && outlet !== undefined) this.#send(outlet, clientPipe(member.name), message);
  }

  #send(outlet: Outlet, pipe: Pipe, message: string): void {
    outlet
      .publish(pipe, message)
      .catch((error) => this.#ports.onFault(`asking ${pipe.name} over ${outlet.name}`, error));
  }
}

/** The outlets behind which somebody takes from a pipe. */
const subscribersOf = ({ name }: Pipe, clients: readonly AwakeClient[]): readonly string[] =>
  clients
    .filter(({ record: { subscriptions } }) => Array.isArray(subscriptions) && subscriptions.includes(name))
    .map(({ via }) => via);

/** The definition with the splay its owner wrote for the earlier generation. */
const splayed = (config: CheckConfig, proxies: unknown): CheckConfig => {
  const { splay, splay_coverage: coverage } = isMap(proxies) ? proxies : {};
  const splay_coverage = Number.isInteger(coverage) ? Number(coverage) : 0;
  return {
    ...config,
    round_robin: false,
    proxy_requests: { entity_attributes: [], splay: splay === true, splay_coverage },
  };
};
