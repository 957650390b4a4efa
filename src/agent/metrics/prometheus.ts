// Prometheus text format 0.0.4: `name{label="value",...} value [timestamp in ms]`, with TYPE and HELP of metric
// families. Every sample becomes a point; labels, type and help become tags.
import { maxMetricLineCharacters } from '../limits.ts';
import {
  type BadLine,
  type Extract,
  linesOf,
  type MetricFacts,
  type Point,
  readInteger,
  type Tag,
} from './extraction.ts';

const metricName = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const commentPattern = new RegExp(`^#\\s+(TYPE|HELP)\\s+(${metricName})(?:\\s+(.*))?$`);
const samplePattern = new RegExp(`^(${metricName})\\s*(\\{.*\\})?\\s*(\\S+)(?:\\s+(\\S+))?$`);
const labelPattern = /^\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)/;

interface Families {
  readonly types: Map<string, string>;
  readonly helps: Map<string, string>;
}

const withoutEscapes = (text: string): string =>
  text.replace(/\\([\\"n])/g, (_, char: string) => (char === 'n' ? '\n' : char));

const readLabels = (text: string): Tag[] | null => {
  const labels: Tag[] = [];
  let rest = text;
  while (rest.trim() !== '') {
    const match = labelPattern.exec(rest);
    if (match === null) return null;
    labels.push({ name: match[1] ?? '', value: withoutEscapes(match[2] ?? '') });
    rest = rest.slice(match[0].length);
  }
  return labels;
};

const readValue = (text: string): number => {
  if (/^[+-]?inf$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
};

/** Sum, count and buckets belong to the family without the suffix. */
const familyOf = (name: string, { types }: Families): string => {
  if (types.has(name)) return name;
  const base = name.replace(/_(sum|count|bucket)$/, '');
  const type = types.get(base);
  const isPart = type === 'histogram' || (type === 'summary' && !name.endsWith('_bucket'));
  return base !== name && isPart ? base : name;
};

/** A later tag replaces an earlier one of the same name. */
const mergeTags = (...groups: readonly (readonly Tag[])[]): Tag[] => [
  ...new Map(groups.flat().map((tag) => [tag.name, tag])).values(),
];

const tagsOf = (name: string, labels: readonly Tag[], families: Families, facts: MetricFacts): Tag[] => {
  const family = familyOf(name, families);
  const help = families.helps.get(family);
  return mergeTags(
    labels,
    [{ name: 'prom_type', value: families.types.get(family) ?? 'untyped' }],
    help === undefined ? [] : [{ name: 'prom_help', value: help }],
    facts.tags,
  );
};

const readSample = (line: string, families: Families, facts: MetricFacts): Point | string | null => {
  if (line.length > maxMetricLineCharacters) return 'the line is too long';
  const match = samplePattern.exec(line);
  const labels = match === null ? null : readLabels((match[2] ?? '{}').slice(1, -1));
  if (match === null || labels === null) return 'not a sample: name{label="value"} value [timestamp]';
  const [, name = '', , text = '', time] = match;
  if (/^nan$/i.test(text)) return null;
  const value = readValue(text);
  if (Number.isNaN(value)) return `the value "${text}" is not a number`;
  if (!Number.isFinite(value)) return `the value "${text}" is not finite`;
  const timeMs = time === undefined ? facts.nowSeconds * 1000 : readInteger(time);
  if (timeMs === null) return `the timestamp "${time}" is not an integer`;
  return { name, value, timestamp: Math.trunc(timeMs / 1000), tags: tagsOf(name, labels, families, facts) };
};

const noteComment = (line: string, families: Families): void => {
  const [, word, name = '', text = ''] = commentPattern.exec(line) ?? [];
  if (word === 'TYPE') families.types.set(name, text.trim().toLowerCase());
  if (word === 'HELP') families.helps.set(name, withoutEscapes(text));
};

const tagValue = (point: Point, name: string): string | undefined =>
  point.tags?.find((tag) => tag.name === name)?.value;

const seriesKey = (point: Point): string =>
  JSON.stringify(
    (point.tags ?? [])
      .filter(({ name }) => name !== 'le')
      .map(({ name, value }) => [name, value])
      .sort(),
  );

/** The bucket `+Inf` of every histogram equals its count. */
const infiniteBuckets = (points: readonly Point[]): Point[] => {
  const isHistogram = (point: Point) => tagValue(point, 'prom_type') === 'histogram';
  const have = new Set(
    points
      .filter((point) => point.name.endsWith('_bucket') && tagValue(point, 'le') === '+Inf')
      .map((point) => point.name + seriesKey(point)),
  );
  return points
    .filter((point) => isHistogram(point) && point.name.endsWith('_count'))
    .map((count) => ({ ...count, name: count.name.replace(/_count$/, '_bucket') }))
    .filter((bucket) => !have.has(bucket.name + seriesKey(bucket)))
    .map((bucket) => ({ ...bucket, tags: [...(bucket.tags ?? []), { name: 'le', value: '+Inf' }] }));
};

export const prometheusText: Extract = (output, facts) => {
  const families: Families = { types: new Map(), helps: new Map() };
  const points: Point[] = [];
  const bad: BadLine[] = [];
  for (const line of linesOf(output).map((text) => text.trim())) {
    if (line.startsWith('#')) noteComment(line, families);
    else if (line !== '') {
      const read = readSample(line, families, facts);
      if (typeof read === 'string') bad.push({ line, why: read });
      else if (read !== null) points.push(read);
    }
  }
  return { points: [...points, ...infiniteBuckets(points)], bad };
};
