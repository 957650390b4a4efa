// From a due check to the agents that run it. A check is asked for as it is, or once for every proxy entity it matches;
// each request reaches every session that shares a subscription, or the agent whose turn it is.
import { randomUUID } from 'node:crypto';
import { proxyDelaysMs } from '../../../machines/schedule/proxy-splay-rule.ts';
import { type CheckConfig, checkSchema } from '../../../model/check/check.ts';
import type { Entity } from '../../../model/entity/entity.ts';
import type { CheckEvent } from '../../../model/event/event.ts';
import { defaultNamespace, entitySubscription } from '../../../model/resource/names.ts';
import { substituteCommand, tokenData } from '../../../model/template/token-substitution.ts';
import type { IsTrusted } from '../../../model/template/token-trust.ts';
import type { ResolveSecrets } from '../../../pipeline/ports.ts';
import type { CheckRequest } from '../../../wire/messages.ts';
import type { Withheld } from '../../problems/withheld.ts';
import type { Configuration } from '../../resources/configuration.ts';
import type { Sessions } from '../session/sessions.ts';
import type { ProxyMatcher } from './proxy-matcher.ts';
import { type RequestDefinitions, requestOf } from './request-of.ts';
import type { Turns } from './turns.ts';

export interface RequestsPorts {
  readonly configuration: RequestDefinitions & Pick<Configuration, 'check'>;
  readonly sessions: Pick<Sessions, 'request' | 'ring'>;
  readonly matcher: Pick<ProxyMatcher, 'matching'>;
  readonly turns: Pick<Turns, 'take'>;
  /** `NAME=value` of each reference; rejects when one cannot be had. */
  readonly resolveSecrets: ResolveSecrets;
  /** Told of runs that do not go out, and of those that do again. */
  readonly withheld: Pick<Withheld, 'begin'>;
  /** The same request for clients of the earlier generation, who share subscriptions with agents. */
  readonly askClients: (config: CheckConfig, issue: Omit<Issue, 'adhoc'>) => void;
  /** The entities of a namespace, in order of their names. */
  readonly entities: (namespace: string) => readonly Entity[];
  /** Whether an operator wrote the configuration of an entity as it stands. */
  readonly isVouched: (namespace: string, name: string) => boolean;
  /** An event that says why a check did not run for an entity. */
  readonly tellResult: (event: CheckEvent) => void;
  readonly nowMs: () => number;
  readonly after: (delayMs: number, task: () => void) => void;
  readonly log: Record<'debug' | 'warn' | 'error', (fields: object, text: string) => void>;
  readonly onFault: (error: unknown) => void;
}

export interface Issue {
  /** Unix seconds; all copies of one tick share it, unless they are spread over time. */
  readonly issued: number;
  /** In place of the definition's own, for one run. */
  readonly subscriptions?: readonly string[];
  /** Who asked, and why: only clients of the earlier generation are told. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  /** Asked for by somebody now: every subscriber runs it, round robin or not. */
  readonly adhoc?: boolean;
}

/** One run of a check, for the subscriptions it goes to. */
interface Run {
  readonly namespace: string;
  readonly name: string;
  readonly subscriptions: readonly string[];
  readonly inTurn: boolean;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const unknownStatus = 3;

/** The result of a check that was not sent out for an entity: unknown, and why. */
const notRun = (config: CheckConfig, entity: Entity, why: string, nowMs: number): CheckEvent => {
  const seconds = Math.floor(nowMs / 1000);
  const { namespace } = entity.metadata;
  return {
    timestamp: seconds,
    entity,
    check: checkSchema.parse({
      ...config,
      proxy_entity_name: entity.metadata.name,
      status: unknownStatus,
      output: `error while substituting check tokens: ${why}\n`,
      executed: seconds,
      issued: seconds,
    }),
    metadata: namespace === undefined ? {} : { namespace },
    id: randomUUID(),
    sequence: 0,
    pipelines: [...(config.pipelines ?? [])],
  };
};

export class Requests {
  readonly #ports: RequestsPorts;
  #matching = 0;

  constructor(ports: RequestsPorts) {
    this.#ports = ports;
  }

  /** Proxy checks whose entities are being found out. */
  get matching(): number {
    return this.#matching;
  }

  issue(config: CheckConfig, { issued, subscriptions = [], attributes = {}, adhoc = false }: Issue): void {
    const run: Run = {
      namespace: config.metadata.namespace ?? defaultNamespace,
      name: config.metadata.name,
      subscriptions: subscriptions.length === 0 ? config.subscriptions : subscriptions,
      inTurn: config.round_robin && !adhoc,
    };
    if (config.proxy_requests) {
      this.#matching += 1;
      this.#forProxies(config, run, issued, attributes)
        .catch(this.#ports.onFault)
        .finally(() => {
          this.#matching -= 1;
        });
    } else if (run.inTurn) this.#inTurn(run, [config], (_index, send) => send(issued));
    else this.#toAll(run, config, issued);
  }

  async #forProxies(
    config: CheckConfig,
    run: Run,
    issued: number,
    attributes: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const { matcher, entities, nowMs, after, log } = this.#ports;
    const matched = await matcher.matching(config, entities(run.namespace));
    const configs = matched.flatMap((entity) => this.#substituted(config, entity, run));
    if (configs.length === 0) {
      const text = run.inTurn
        ? 'check not published, no matching entities for proxy request'
        : 'no matching entities, check will not be published';
      return log.warn({ namespace: run.namespace, check: run.name }, text);
    }
    const delays = proxyDelaysMs({ ...config, round_robin: run.inTurn }, configs.length, nowMs());
    const later = (index: number, send: (issued: number) => void): void => {
      const delayMs = delays[index] ?? 0;
      if (delayMs === 0) return send(issued);
      after(delayMs, () => {
        // Deleted while its copies were still going out.
        if (this.#ports.configuration.check(run.namespace, run.name) === undefined) return;
        send(Math.floor(nowMs() / 1000));
      });
    };
    const { subscriptions } = run;
    for (const [index, copy] of configs.entries())
      later(index, (at) => this.#ports.askClients(copy, { issued: at, subscriptions, attributes }));
    if (run.inTurn) this.#inTurn(run, configs, later);
    else for (const [index, copy] of configs.entries()) later(index, (at) => this.#toAll(run, copy, at));
  }

  /** The check as it runs for one entity; nothing when a token of it has no value there. */
  #substituted(config: CheckConfig, entity: Entity, { namespace, name }: Run): readonly CheckConfig[] {
    const isVouched = this.#ports.isVouched(namespace, entity.metadata.name);
    // What a machine says about itself is its word in any case.
    const isTrusted: IsTrusted = ([part]) => isVouched && part !== 'system';
    const substituted = substituteCommand(config, tokenData(entity), isTrusted);
    if (substituted.ok) return [{ ...substituted.value, proxy_entity_name: entity.metadata.name }];
    this.#ports.log.error(
      { namespace, check: name, entity: entity.metadata.name, why: substituted.message },
      'a proxy request could not be built and is left out',
    );
    this.#ports.tellResult(notRun(config, entity, substituted.message, this.#ports.nowMs()));
    return [];
  }

  #toAll(run: Run, config: CheckConfig, issued: number): void {
    const references = config.secrets ?? [];
    const request = requestOf(this.#ports, run.namespace, config, issued);
    if (references.length === 0) {
      this.#ports.withheld.begin(run.namespace, run.name);
      return this.#send(run, request);
    }
    this.#ports.resolveSecrets(run.namespace, references).then(
      (secrets) => {
        this.#withhold(run);
        this.#send(run, { ...request, secrets: [...secrets] });
      },
      (error: unknown) => this.#withhold(run, messageOf(error)),
    );
  }

  /** Notes why a check is not sent, or that it is. Only a change is logged: the schedule repeats the rest. */
  #withhold({ namespace, name }: Run, why?: string): void {
    const { withheld, log } = this.#ports;
    if (!withheld.begin(namespace, name, why)) return;
    if (why === undefined)
      log.warn({ namespace, check: name }, 'the check is sent again: its secrets are resolved');
    else
      log.error({ namespace, check: name, why }, 'the check is not sent: a secret of it cannot be resolved');
  }

  #send({ namespace, name, subscriptions }: Run, request: CheckRequest): void {
    const reached = this.#ports.sessions.request(namespace, subscriptions, request);
    this.#ports.log.debug(
      { namespace, check: name, issued: request.issued, reached },
      'sending check request',
    );
  }

  /** As many agents of each subscription as there are copies, in alphabetical order after the last one, one copy each. */
  #inTurn(
    { namespace, name, subscriptions }: Run,
    configs: readonly CheckConfig[],
    later: (index: number, send: (issued: number) => void) => void,
  ): void {
    for (const subscription of subscriptions) {
      const ring = this.#ports.sessions.ring(namespace, subscription);
      const turns = this.#ports.turns.take(namespace, name, subscription, ring, configs.length);
      if (turns.length === 0) {
        this.#ports.log.warn(
          { namespace, check: name, subscription },
          'round robin check scheduled, but no available entities',
        );
        continue;
      }
      for (const [index, agent] of turns.entries()) {
        const copy = configs[index];
        const run: Run = { namespace, name, subscriptions: [entitySubscription(agent)], inTurn: true };
        if (copy !== undefined) later(index, (issued) => this.#toAll(run, copy, issued));
      }
    }
  }
}
