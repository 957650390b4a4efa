// Thresholds: metrics outside their bounds raise the status of a check that reported OK. Pure.
import type { Check } from '../../model/check/check.ts';
import { underBothNames } from '../../model/entity/reserved-labels.ts';
import { type Point, readFloat } from './extraction.ts';

type Threshold = NonNullable<Check['output_metric_thresholds']>[number];
type Rule = Threshold['thresholds'][number];

export interface Judgement {
  readonly status: number;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Violation {
  readonly status: number;
  readonly key: string;
  readonly text: string;
}

const captions = ['ok', 'warning', 'critical'] as const;
const captionOf = (status: number): string => captions[status] ?? 'unknown';

const prefix = 'output_metric_thresholds';
const pathOf = ({ name, tags }: Threshold): string =>
  [name, ...(tags ?? []).map(({ value }) => value)].join('.');
const listTags = (tags: Threshold['tags'], quote: string): string =>
  tags == null || tags.length === 0
    ? ''
    : ` (${tags.map(({ name, value }) => `${name}=${quote}${value}${quote}`).join(quote === '' ? ',' : ', ')})`;

const matches = (point: Point, { name, tags }: Threshold): boolean =>
  point.name === name &&
  (tags ?? []).every((wanted) =>
    (point.tags ?? []).some((tag) => tag.name === wanted.name && tag.value === wanted.value),
  );

/** Strictly outside: a value at the bound is inside. The upper bound is checked only if the lower one holds. */
const brokenBound = (value: number, rule: Rule): { bound: 'min' | 'max'; text: string } | null => {
  const min = readFloat(rule.min);
  if (min !== null && value < min) return { bound: 'min', text: rule.min };
  const max = readFloat(rule.max);
  return max !== null && value > max ? { bound: 'max', text: rule.max } : null;
};

const violations = (threshold: Threshold, points: readonly Point[]): Violation[] =>
  points.flatMap((point) =>
    threshold.thresholds.flatMap((rule) => {
      const broken = brokenBound(point.value, rule);
      if (broken === null) return [];
      const what = `${threshold.name}${listTags(threshold.tags, '')}`;
      const text = `The value of ${what} exceeded the configured threshold (${broken.bound}: ${broken.text}, actual: ${point.value}).`;
      const key = `${prefix}/${pathOf(threshold)}/${broken.bound}/${captionOf(rule.status)}`;
      return [{ status: rule.status, key, text }];
    }),
  );

const describeRule = ({ min, max, status }: Rule): string => {
  const bounds = [min === '' ? '' : `min: ${min}`, max === '' ? '' : `max: ${max}`].filter(
    (part) => part !== '',
  );
  return `expected ${bounds.join(' - ')} (status: ${captionOf(status)})`;
};

const missing = (threshold: Threshold): Violation[] => {
  const status = threshold.null_status;
  if (status === 0) return [];
  const what = `"${threshold.name}"${listTags(threshold.tags, '"')}`;
  const rules = threshold.thresholds.map(describeRule).join('; ');
  const caption = captionOf(status);
  const text = `${caption.toUpperCase()} : no metric matching ${what} was found; ${rules}`;
  return [{ status, key: `${prefix}/${pathOf(threshold)}/null-status/${caption}`, text }];
};

/** The highest status of all violations with a note on each. Null if all values are within bounds. */
export const judgeThresholds = (
  thresholds: readonly Threshold[],
  points: readonly Point[],
): Judgement | null => {
  const found = thresholds.flatMap((threshold) => {
    const matching = points.filter((point) => matches(point, threshold));
    return matching.length === 0 ? missing(threshold) : violations(threshold, matching);
  });
  if (found.length === 0) return null;
  const worst = found.reduce((a, b) => (b.status > a.status ? b : a));
  const notes = [...found, { key: `notifications/${captionOf(worst.status)}`, text: worst.text }];
  const annotations = Object.assign({}, ...notes.map(({ key, text }) => underBothNames(key, text)));
  return { status: worst.status, annotations };
};
