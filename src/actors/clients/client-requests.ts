// From a due check to the clients that run it: a definition becomes a request in the pipes of its subscriptions, on every
// transport; a check about other clients becomes one request for each of them (earlier-client sheet 3.11).
import type { ClientRecord } from '../../machines/client-facts.ts';
import {
  checkRequest,
  clientAttributes,
  isStandalone,
  matchesClient,
  proxyRequest,
  requestPipes,
} from '../../machines/client-request-rule.ts';
import { proxyDelaysMs } from '../../machines/proxy-splay-rule.ts';
import type { CheckConfig } from '../../model/check.ts';
import { isMap, type Json } from '../../model/earlier/json.ts';
import type { Pipe } from '../../model/earlier/pipes.ts';
import { isSubdued } from '../../model/earlier/subdue.ts';
import { clientNamespace } from './client-behaviour.ts';

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

export interface ClientRequestsWorld {
  readonly outlets: () => Iterable<Outlet>;
  readonly records: () => readonly ClientRecord[];
  readonly nowMs: () => number;
  readonly after: (delayMs: number, task: () => void) => void;
  readonly log: Record<'info' | 'warn', (fields: object, text: string) => void>;
  readonly onFault: (what: string, error: unknown) => void;
}

export class ClientRequests {
  readonly #world: ClientRequestsWorld;

  constructor(world: ClientRequestsWorld) {
    this.#world = world;
  }

  /** A definition is due. One that matches entities comes back through `ask`, once for each of them. */
  issue(config: CheckConfig, issue: ClientIssue): void {
    if (config.metadata.namespace !== clientNamespace || isStandalone(config)) return;
    if (config.proxy_requests) return;
    const { subdue } = checkRequest(config, issue.issued);
    const check = config.metadata.name;
    if (isSubdued(subdue, this.#world.nowMs()))
      return this.#world.log.info({ check }, 'check request was subdued');
    const wanted = clientAttributes(config);
    if (wanted === undefined) this.ask(config, issue);
    else this.#forClients(config, wanted, issue);
  }

  /** One request, as it is. */
  ask(config: CheckConfig, issue: ClientIssue): void {
    this.#publish(config, issue, checkRequest(config, issue.issued));
  }

  #forClients(config: CheckConfig, wanted: Json, issue: ClientIssue): void {
    const { records, nowMs, after, log } = this.#world;
    const check = config.metadata.name;
    const request = checkRequest(config, issue.issued);
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
    for (const outlet of this.#world.outlets()) {
      if (!outlet.isConnected()) continue;
      for (const pipe of requestPipes(asked, config.round_robin)) {
        outlet
          .publish(pipe, message)
          .catch((error) => this.#world.onFault(`asking ${pipe.name} over ${outlet.name}`, error));
      }
    }
  }
}

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
