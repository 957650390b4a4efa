// OpenTSDB: `name timestamp value tag=value [tag=value...]`, with at least one tag.
import { byLine, readFloat, readInteger } from './extraction.ts';

export const opentsdbLine = byLine((line, facts) => {
  const [name = '', time = '', text = '', ...tagTexts] = line.split(' ');
  if (tagTexts.length === 0) return 'an opentsdb line is name, timestamp, value and at least one tag';
  const timestamp = readInteger(time);
  if (timestamp === null) return `the timestamp "${time}" is not an integer`;
  const value = readFloat(text);
  if (value === null) return `the value "${text}" is not a finite number`;
  const pairs = tagTexts.map((tag) => tag.split('='));
  if (!pairs.every((pair) => pair.length === 2 && pair[0] !== '')) return 'tags are name=value';
  const tags = pairs.map(([tag = '', given = '']) => ({ name: tag, value: given }));
  const seconds = time.length === 13 ? Math.trunc(timestamp / 1000) : timestamp;
  return [{ name, value, timestamp: seconds, tags: [...tags, ...facts.tags] }];
});
