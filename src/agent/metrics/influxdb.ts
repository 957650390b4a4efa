// InfluxDB line protocol: `measurement[,tag=value...] field=value[,field=value...] [timestamp]`. Fields must be
// plain numbers; others (`82i`, `t`, quoted text) invalidate the line.
import { byLine, readFloat, type Tag } from './extraction.ts';

/** Splits at unescaped separators. */
const splitPlain = (text: string, separator: string): string[] => {
  const parts: string[] = [];
  let part = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char === '\\' && at + 1 < text.length) {
      part += char + (text[at + 1] ?? '');
      at += 1;
    } else if (char === separator) {
      parts.push(part);
      part = '';
    } else part += char;
  }
  return [...parts, part];
};

const withoutEscapes = (text: string): string => text.replace(/\\([ ,=])/g, '$1');

const readPairs = (texts: readonly string[]): Tag[] | null => {
  const pairs = texts.map((text) => splitPlain(text, '='));
  if (!pairs.every((parts) => parts.length === 2 && parts[0] !== '')) return null;
  return pairs.map(([name = '', value = '']) => ({
    name: withoutEscapes(name),
    value: withoutEscapes(value),
  }));
};

/** In any precision, the first ten digits are the seconds. */
const readTimestamp = (text: string): number | null =>
  /^\d+$/.test(text) ? Number(text.slice(0, 10)) : null;

export const influxdbLine = byLine((line, facts) => {
  const [series = '', fieldText = '', time, ...more] = splitPlain(line, ' ');
  if (fieldText === '' || more.length > 0)
    return 'an influxdb line is measurement, fields and an optional timestamp';
  const [measurement = '', ...tagTexts] = splitPlain(series, ',');
  const tags = readPairs(tagTexts);
  if (tags === null) return `the tags of "${series}" are not name=value`;
  const fields = readPairs(splitPlain(fieldText, ','));
  if (fields === null) return `the fields "${fieldText}" are not name=value`;
  const timestamp = time === undefined ? facts.nowSeconds : readTimestamp(time);
  if (timestamp === null) return `the timestamp "${time}" is not an integer`;
  const values = fields.map(({ name, value }) => ({ name, value: readFloat(value) }));
  const wrong = values.findIndex(({ value }) => value === null);
  if (wrong >= 0) return `the value "${fields[wrong]?.value}" is not a plain number`;
  return values.map(({ name, value }) => ({
    name: `${withoutEscapes(measurement)}.${name}`,
    value: value ?? 0,
    timestamp,
    tags: [...tags, ...facts.tags],
  }));
});
