// Remembers which entities matched a proxy check: an expression is evaluated again only for entities that changed, so
// that the ticks of a check over thousands of them cost next to nothing.
import { configOf } from '../../../machines/entity/registration-rule.ts';
import type { CheckConfig } from '../../../model/check/check.ts';
import type { Entity } from '../../../model/entity/entity.ts';
import { type CandidateVerdict, candidateJson, judgeCandidate } from '../../../pipeline/candidates.ts';
import type { ExpressionRunner } from '../../../pipeline/sandbox/protocol.ts';
import { maxCandidatesAtOnce } from './limits.ts';

interface Judged {
  /** What the expressions saw. */
  readonly json: string;
  readonly verdict: CandidateVerdict;
}

type Known = ReadonlyMap<string, Judged>;

export interface ProxyMatcherPorts {
  readonly expressions: ExpressionRunner;
  readonly nowMs: () => number;
  readonly log: { error(fields: object, text: string): void };
}

export class ProxyMatcher {
  readonly #ports: ProxyMatcherPorts;
  /** By check, then by entity name; dropped when the expressions of the check change. */
  readonly #known = new Map<string, { readonly expressions: string; readonly entities: Known }>();

  constructor(ports: ProxyMatcherPorts) {
    this.#ports = ports;
  }

  /** The entities, of those given, that the check is to run for, in their order. Rejects with an outage. */
  async matching(config: CheckConfig, entities: readonly Entity[]): Promise<readonly Entity[]> {
    const expressions = config.proxy_requests?.entity_attributes ?? [];
    if (expressions.length === 0) return [];
    const known = this.#of(config, expressions);
    const next = new Map<string, Judged>();
    const matched: Entity[] = [];
    for (let from = 0; from < entities.length; from += maxCandidatesAtOnce) {
      const some = entities.slice(from, from + maxCandidatesAtOnce);
      const judged = await Promise.all(some.map((entity) => this.#judge(expressions, entity, known)));
      for (const [index, entity] of some.entries()) {
        const verdict = judged[index];
        if (verdict === undefined) continue;
        next.set(entity.metadata.name, verdict);
        if (verdict.verdict.matches) matched.push(entity);
      }
    }
    this.#known.set(keyOf(config), { expressions: JSON.stringify(expressions), entities: lasting(next) });
    this.#tellFailures(config, next);
    return matched;
  }

  forget(namespace: string, name: string): void {
    this.#known.delete(`${namespace}/${name}`);
  }

  async #judge(expressions: readonly string[], entity: Entity, known: Known): Promise<Judged> {
    const { name } = entity.metadata;
    const json = candidateJson(configOf(entity));
    const before = known.get(name);
    if (before?.json === json) return before;
    const verdict = await judgeCandidate(this.#ports.expressions, json, expressions, this.#ports.nowMs());
    return { json, verdict };
  }

  /** Once a tick: the mistake in an expression is the same for every entity. */
  #tellFailures({ metadata: { namespace, name: check } }: CheckConfig, judged: Known): void {
    let entities = 0;
    let why: string | undefined;
    for (const { verdict } of judged.values()) {
      // What an entity does not have is no mistake.
      if (verdict.matches || verdict.why !== 'failed' || verdict.kind === 'threw') continue;
      entities += 1;
      why ??= verdict.message;
    }
    if (why === undefined) return;
    this.#ports.log.error(
      { namespace, check, entities, why },
      'an expression of entity_attributes failed and matches nothing',
    );
  }

  #of(config: CheckConfig, expressions: readonly string[]): Known {
    const known = this.#known.get(keyOf(config));
    return known?.expressions === JSON.stringify(expressions) ? known.entities : new Map();
  }
}

const keyOf = ({ metadata: { namespace = '', name } }: CheckConfig): string => `${namespace}/${name}`;

const lastingKinds: ReadonlySet<string> = new Set(['threw', 'syntax']);

/** Without what may end otherwise next time: a program that was stopped at a limit says nothing about its entity. */
const lasting = (judged: Known): Known =>
  new Map(
    [...judged].filter(
      ([, { verdict }]) => verdict.matches || verdict.why !== 'failed' || lastingKinds.has(verdict.kind),
    ),
  );
