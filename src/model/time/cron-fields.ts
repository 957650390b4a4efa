// Parses the five fields of a cron string. The grammar is narrower than the one of the cron library: no `L`, `W` or
// `#`, and Sunday is 0, never 7. Definitions are parsed once when written; the output is the same schedule in the
// library's notation.

interface FieldRange {
  readonly what: string;
  readonly min: number;
  readonly max: number;
  /** Names for the numbers, starting at `min`. */
  readonly names: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const ranges: readonly FieldRange[] = [
  { what: 'minute', min: 0, max: 59, names: [] },
  { what: 'hour', min: 0, max: 23, names: [] },
  { what: 'day of month', min: 1, max: 31, names: [] },
  { what: 'month', min: 1, max: 12, names: months },
  { what: 'day of week', min: 0, max: 6, names: weekdays },
];

export type CronFields =
  | { readonly ok: true; readonly pattern: string }
  | { readonly ok: false; readonly why: string };

class FieldError extends Error {}

const fail = (why: string): never => {
  throw new FieldError(why);
};

const numberOf = (text: string, { what, min, max, names }: FieldRange): number => {
  const named = names.indexOf(text.toLowerCase());
  const value =
    named >= 0 ? named + min : /^\d+$/.test(text) ? Number(text) : fail(`${what} "${text}" is not a number`);
  if (value < min || value > max) fail(`${what} ${text} is not within ${min}-${max}`);
  return value;
};

const stepOf = (text: string, { what }: FieldRange): number => {
  const step = /^\d+$/.test(text) ? Number(text) : 0;
  return step > 0 ? step : fail(`${what}: the step "${text}" must be a whole number above 0`);
};

/** `*`, `7` or `1-5`, each with an optional `/step`. */
const readPart = (part: string, range: FieldRange): string => {
  const [span = '', step, ...more] = part.split('/');
  if (more.length > 0) fail(`${range.what} "${part}" has more than one slash`);
  const stepText = step === undefined ? '' : `/${stepOf(step, range)}`;
  if (span === '*' || span === '?') return `*${stepText}`;
  const [low = '', high, ...rest] = span.split('-');
  if (rest.length > 0) fail(`${range.what} "${part}" has more than one hyphen`);
  const from = numberOf(low, range);
  if (high === undefined) return stepText === '' ? span : `${from}-${range.max}${stepText}`;
  if (numberOf(high, range) < from) fail(`${range.what} "${part}" ends before it starts`);
  return `${span}${stepText}`;
};

const readField = (field: string, range: FieldRange): string => {
  const parts = field.split(',').filter((part) => part !== '');
  if (parts.length === 0) fail(`${range.what} is empty`);
  return parts.map((part) => readPart(part, range)).join(',');
};

/** The fields in the library's notation, or the error of the first invalid field. */
export const readCronFields = (text: string): CronFields => {
  const fields = text.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== ranges.length) {
    return { ok: false, why: `expected exactly 5 fields, found ${fields.length}: "${text}"` };
  }
  try {
    const read = ranges.map((range, index) => readField(fields[index] ?? '', range));
    return { ok: true, pattern: read.join(' ') };
  } catch (error) {
    if (error instanceof FieldError) return { ok: false, why: error.message };
    throw error;
  }
};
