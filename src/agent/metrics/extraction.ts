// Shared types and helpers of the metric parsers. Pure.
import type { Metrics } from '../../model/event/event.ts';
import { maxMetricLineCharacters } from '../limits.ts';

export type Point = NonNullable<Metrics['points']>[number];
export interface Tag {
  readonly name: string;
  readonly value: string;
}

export interface MetricFacts {
  /** Tags the check adds to every point. */
  readonly tags: readonly Tag[];
  /** When the check ran, in Unix seconds. */
  readonly executed: number;
  readonly nowSeconds: number;
}

/** An unreadable line: reported and skipped; the other lines are used. */
export interface BadLine {
  readonly line: string;
  readonly why: string;
}

export interface Extraction {
  readonly points: readonly Point[];
  readonly bad: readonly BadLine[];
}

export type Extract = (output: string, facts: MetricFacts) => Extraction;
export type ReadLine = (line: string, facts: MetricFacts) => readonly Point[] | string;

const floatPattern = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const hexPattern = /^[+-]?0[xX][0-9a-fA-F]+$/;

/** A finite number, or null, since JSON cannot represent others. */
export const readFloat = (text: string): number | null => {
  const sign = text.startsWith('-') ? -1 : 1;
  const value = hexPattern.test(text)
    ? sign * Number(text.replace(/^[+-]/, ''))
    : floatPattern.test(text)
      ? Number(text)
      : Number.NaN;
  return Number.isFinite(value) ? value : null;
};

export const readInteger = (text: string): number | null => {
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) ? value : null;
};

export const linesOf = (output: string): string[] =>
  output.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));

/** Parses line by line; a parser returns points or the reason of a failure. Blank lines are skipped. */
export const byLine =
  (readLine: ReadLine): Extract =>
  (output, facts) => {
    const points: Point[] = [];
    const bad: BadLine[] = [];
    for (const line of linesOf(output.trim())) {
      if (line.trim() === '') continue;
      const read = line.length > maxMetricLineCharacters ? 'the line is too long' : readLine(line, facts);
      if (typeof read === 'string') bad.push({ line, why: read });
      else for (const point of read) points.push(point);
    }
    return { points, bad };
  };
