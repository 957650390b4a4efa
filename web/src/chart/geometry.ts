// Lines of a drawing: rounded corners, and how long a line is. Pure.
import type { Point } from '../../build/chart-layout.ts';

const cornerRadius = 6;

/** An SVG path through right-angled points, its corners rounded. */
export const roundedPath = (points: readonly Point[]): string => {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  const parts = [`M${first[0]} ${first[1]}`];
  for (const [index, point] of rest.entries()) {
    const before = points[index] ?? point;
    const after = points[index + 2];
    if (after === undefined) {
      parts.push(`L${point[0]} ${point[1]}`);
      continue;
    }
    const radius = Math.min(cornerRadius, distance(before, point) / 2, distance(point, after) / 2);
    const [inX, inY] = towards(point, before, radius);
    const [outX, outY] = towards(point, after, radius);
    parts.push(`L${inX} ${inY}Q${point[0]} ${point[1]} ${outX} ${outY}`);
  }
  return parts.join('');
};

const distance = (a: Point, b: Point): number => Math.hypot(a[0] - b[0], a[1] - b[1]);

const towards = (from: Point, to: Point, length: number): Point => {
  const whole = distance(from, to) || 1;
  return [from[0] + ((to[0] - from[0]) * length) / whole, from[1] + ((to[1] - from[1]) * length) / whole];
};

export interface Frame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The part of a drawing that is seen, zoomed around a point of it; never smaller or larger than makes sense. */
export const zoomed = (frame: Frame, whole: Frame, factor: number, at: Point): Frame => {
  const width = Math.min(Math.max(frame.width * factor, 160), whole.width * 2.5);
  const scale = width / frame.width;
  return {
    x: at[0] - (at[0] - frame.x) * scale,
    y: at[1] - (at[1] - frame.y) * scale,
    width,
    height: frame.height * scale,
  };
};
