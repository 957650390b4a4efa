// Which entities a proxy check runs for: those on which every expression of its `entity_attributes` holds. Judged
// in the same sandbox as filters, with one global, `entity`; a failing expression matches nothing.
import type { EntityConfig } from '../model/entity.ts';
import { candidateKey } from './sandbox/prelude.ts';
import type { ExpressionRunner, FailureKind } from './sandbox/protocol.ts';
import { clipReason } from './trace.ts';

export type CandidateVerdict =
  | { readonly matches: true }
  | { readonly matches: false; readonly why: 'no expressions' | 'not matched' }
  /** `threw`: it asked for what this entity does not have. Every other kind is a mistake its author should hear of. */
  | {
      readonly matches: false;
      readonly why: 'failed';
      readonly kind: FailureKind;
      readonly message: string;
    };

/** Of an entity, only what an operator may set is seen: no `system`, no `last_seen`. */
export const candidateJson = (config: EntityConfig): string =>
  JSON.stringify({ [candidateKey]: true, entity: config });

/** Rejects only with an outage of the sandbox. */
export const judgeCandidate = async (
  runner: ExpressionRunner,
  json: string,
  expressions: readonly string[],
  nowMs: number,
): Promise<CandidateVerdict> => {
  if (expressions.length === 0) return { matches: false, why: 'no expressions' };
  const program = { name: 'entity_attributes', action: 'allow', expressions, scripts: [] } as const;
  const [run] = await runner.evaluate(json, nowMs, [program]);
  const outcomes = run?.outcomes ?? [];
  const failed = outcomes.find((outcome) => outcome.type === 'failed');
  if (failed?.type === 'failed') {
    return { matches: false, why: 'failed', kind: failed.kind, message: clipReason(failed.message) };
  }
  // An `allow` program ends with its first expression that does not hold.
  const holds =
    outcomes.length === expressions.length && outcomes.every((one) => one.type === 'value' && one.truthy);
  return holds ? { matches: true } : { matches: false, why: 'not matched' };
};
