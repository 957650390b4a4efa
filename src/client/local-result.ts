// Results from programs on this machine, over TCP, UDP or HTTP: completed, judged, and handed on.

import { checkResultProblem } from '../model/earlier/check-rules.ts';
import { isMap, type Json } from '../model/earlier/json.ts';
import { seconds, type Timers } from './timers.ts';

export type LocalVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly problem: string; readonly result: unknown };

export interface LocalResults {
  /** One result, or a list of them. Those before the first wrong one are published all the same. */
  take(value: unknown): LocalVerdict;
}

const notAMap = 'check result must be a hash';

/** `publish` gets results that are complete: with name, output, status, executed and issued. */
export const createLocalResults = (
  publish: (check: Json) => void,
  timers: Pick<Timers, 'nowMs'>,
): LocalResults => {
  const takeOne = (value: unknown): LocalVerdict => {
    if (!isMap(value)) return { ok: false, problem: notAMap, result: value };
    const now = seconds(timers);
    const check: Json = { ...value, executed: value['executed'] ?? now };
    const problem = checkResultProblem(check);
    if (problem !== undefined) return { ok: false, problem, result: value };
    publish({ ...check, issued: now });
    return { ok: true };
  };
  return {
    take: (value) => {
      for (const one of Array.isArray(value) ? value : [value]) {
        const verdict = takeOne(one);
        if (!verdict.ok) return verdict;
      }
      return { ok: true };
    },
  };
};
