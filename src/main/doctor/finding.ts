// Findings of a doctor: one line each, with the suggested action.
import { errorText } from '../../program/log.ts';

/** `warn`: it works, and should be looked at. `fail`: it does not work. */
type Verdict = 'ok' | 'warn' | 'fail';

export interface Finding {
  readonly verdict: Verdict;
  /** `port`, `folder`, `disk`, `certificate`, `store`, ... */
  readonly area: string;
  readonly what: string;
  /** The suggested action. */
  readonly advice?: string;
}

/** One check; an exception becomes a failure. */
export interface Probe {
  readonly area: string;
  readonly ask: () => Promise<readonly Finding[]> | readonly Finding[];
}

export const ok = (area: string, what: string): Finding => ({ verdict: 'ok', area, what });
export const warn = (area: string, what: string, advice: string): Finding => ({
  ...{ verdict: 'warn', area, what, advice },
});
export const fail = (area: string, what: string, advice: string): Finding => ({
  ...{ verdict: 'fail', area, what, advice },
});

/** Runs all checks concurrently; results keep the order of the checks. */
export const examine = async (probes: readonly Probe[]): Promise<readonly Finding[]> => {
  const answers = await Promise.all(
    probes.map(async ({ area, ask }) => {
      try {
        return await ask();
      } catch (error) {
        return [{ verdict: 'fail', area, what: errorText(error) } satisfies Finding];
      }
    }),
  );
  return answers.flat();
};

const lineOf = ({ verdict, area, what, advice }: Finding): string =>
  `${verdict.padEnd(4)}  ${area.padEnd(11)}  ${what}${advice === undefined ? '' : `; ${advice}`}`;

export type ReportFormat = 'text' | 'json';

/** Resolves to the exit code: 1 if a check failed. */
export const report = (findings: readonly Finding[], format: ReportFormat): number => {
  if (format === 'json') console.log(JSON.stringify(findings, null, 2));
  else for (const finding of findings) console.log(lineOf(finding));
  return findings.some(({ verdict }) => verdict === 'fail') ? 1 : 0;
};
