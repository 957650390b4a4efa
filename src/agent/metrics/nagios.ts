// Nagios perfdata: the part after the single pipe of the output, `label=value[unit];warn;crit;min;max ...`.
import { maxMetricLineCharacters } from '../limits.ts';
import { type BadLine, type Extract, type Point, readFloat } from './extraction.ts';

/** Labels with spaces are in single quotes. */
const itemPattern = /(?:'[^']*'|[^\s'=])+(?:=\S*)?|\S+/g;

export const nagiosPerfdata: Extract = (output, facts) => {
  const [, data, ...more] = output.split('|');
  if (data === undefined || more.length > 0)
    return {
      points: [],
      bad: [{ line: output.slice(0, 200), why: 'perfdata needs exactly one pipe in the output' }],
    };
  if (data.length > maxMetricLineCharacters)
    return { points: [], bad: [{ line: data.slice(0, 200), why: 'the perfdata is too long' }] };
  const points: Point[] = [];
  const bad: BadLine[] = [];
  for (const [item] of data.trim().matchAll(itemPattern)) {
    const [pair = ''] = item.split(';');
    const at = pair.lastIndexOf('=');
    const value = readFloat(pair.slice(at + 1).replace(/[^-0-9.]/g, ''));
    if (at <= 0 || value === null) bad.push({ line: item, why: 'perfdata is label=value with a number' });
    else points.push({ name: pair.slice(0, at), value, timestamp: facts.executed, tags: [...facts.tags] });
  }
  return { points, bad };
};
