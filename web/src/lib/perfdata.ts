// Performance data in the output of a check: `label=value[unit];warn;crit;min;max`, after the first pipe of a line. Pure.

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Where a warning and a critical status begin; undefined for ranges that are no single number. */
  readonly warn: number | undefined;
  readonly crit: number | undefined;
  readonly min: number | undefined;
  readonly max: number | undefined;
}

const maxFigures = 60;
const item = /('(?:[^']|'')+'|[^\s'=]+)=(-?[\d.,]+(?:e[+-]?\d+)?)([^\s;\d]*)((?:;[^\s;]*){0,4})(?=\s|$)/gi;

/** `90`, `0:90` and `:90` mean an upper bound; `90:` and `@5:10` are none. */
const bound = (text = ''): number | undefined => {
  const found = /^(?:0?:)?(-?\d+(?:\.\d+)?)$/.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
};

/** Lines after the first may have performance data of their own. */
export const figuresIn = (output: string): readonly Figure[] => {
  const data = output
    .split('\n')
    .map((line) => line.slice(line.indexOf('|') + 1 || line.length))
    .join(' ');
  return [...data.matchAll(item)].slice(0, maxFigures).flatMap((found): Figure[] => {
    const [, label = '', digits = '', unit = '', rest = ''] = found;
    const value = Number(digits.replace(',', '.'));
    const [, warn, crit, min, max] = rest.split(';');
    const name = label.replace(/^'|'$/g, '').replaceAll("''", "'");
    return Number.isFinite(value)
      ? [{ name, value, unit, warn: bound(warn), crit: bound(crit), min: bound(min), max: bound(max) }]
      : [];
  });
};

/** From 0 to 1: where a value stands between the least and the most that is known of it; undefined: nothing is known. */
export const scaleOf = ({
  value,
  unit,
  warn,
  crit,
  min,
  max,
}: Figure): ((of: number) => number) | undefined => {
  const most = max ?? (unit === '%' ? 100 : undefined);
  if (most === undefined && warn === undefined && crit === undefined) return undefined;
  const low = Math.min(min ?? 0, value);
  const high = Math.max(most ?? Math.max(warn ?? 0, crit ?? 0) * 1.25, value);
  return (of) => (high === low ? 0 : Math.max(0, Math.min(1, (of - low) / (high - low))));
};
