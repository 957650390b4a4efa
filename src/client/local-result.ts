// Processes results from local programs, over TCP, UDP or HTTP: fills in defaults, validates, and publishes.

import { checkResultProblem } from '../model/earlier/check-rules.ts';
import { isMap, type Json } from '../model/earlier/json.ts';
import { seconds, type Timers } from './timers.ts';

type LocalVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly problem: string; readonly result: unknown };

export interface LocalResults {
  /** One result or a list. Results before the first invalid one are still published. */
  take(value: unknown): LocalVerdict;
}

const notAMap = 'check result must be a hash';

/** `publish` receives complete results, with name, output, status, executed and issued. */
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
