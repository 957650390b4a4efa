// Selects the entities that a proxy check runs for: those for which every expression of its `entity_attributes` is
// true. Evaluated in the sandbox like filters, with one global, `entity`. A failing expression matches nothing.
import type { EntityConfig } from '../model/entity/entity.ts';
import { candidateKey } from './sandbox/prelude.ts';
import type { ExpressionRunner, FailureKind } from './sandbox/protocol.ts';
import { clipReason } from './trace.ts';

export type CandidateVerdict =
  | { readonly matches: true }
  | { readonly matches: false; readonly why: 'no expressions' | 'not matched' }
  /**
   * `threw`: the expression read a property that this entity does not have. All other kinds are mistakes that are
   * reported to the author.
   */
  | {
      readonly matches: false;
      readonly why: 'failed';
      readonly kind: FailureKind;
      readonly message: string;
    };

/** Only fields that operators set are visible: no `system`, no `last_seen`. */
export const candidateJson = (config: EntityConfig): string =>
  JSON.stringify({ [candidateKey]: true, entity: config });

/** Rejects only on an outage of the sandbox. */
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
  // An `allow` program stops at the first expression that is not true.
  const holds =
    outcomes.length === expressions.length && outcomes.every((one) => one.type === 'value' && one.truthy);
  return holds ? { matches: true } : { matches: false, why: 'not matched' };
};
