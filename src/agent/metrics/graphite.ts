// Graphite plaintext: `path[;tag=value...] value timestamp`.
import { byLine, readFloat, readInteger, type Tag } from './extraction.ts';

const readTags = (texts: readonly string[]): Tag[] | null => {
  const tags = texts.map((text) => text.split('='));
  if (!tags.every((parts) => parts.length === 2 && parts[0] !== '')) return null;
  return tags.map(([name = '', value = '']) => ({ name, value }));
};

export const graphitePlaintext = byLine((line, facts) => {
  const [series = '', value = '', time = '', ...more] = line.split(' ');
  if (time === '' || more.length > 0) return 'a graphite line has three fields: path, value and timestamp';
  const number = readFloat(value);
  const timestamp = readInteger(time);
  const [name = '', ...tagTexts] = series.split(';');
  const tags = readTags(tagTexts);
  if (number === null) return `the value "${value}" is not a finite number`;
  if (timestamp === null) return `the timestamp "${time}" is not an integer`;
  if (tags === null || name === '') return `the series "${series}" is not path;tag=value`;
  return [{ name, value: number, timestamp, tags: [...facts.tags, ...tags] }];
});
