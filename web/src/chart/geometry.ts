// Lines of a drawing: rounded corners, and how long a line is. Pure.
import type { Box, Point } from '../../build/chart-layout.ts';

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

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Frame extends Size {
  readonly x: number;
  readonly y: number;
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

/** Pixels a drawing unit: below the first the text in a chart cannot be read, at the second it is read with ease. */
const smallestScale = 0.6;
const readableScale = 0.85;
/** Left around what is focused on. */
const focusMargin = 24;

/**
 * What of a drawing is seen at first in a place of so many pixels: all of it, or, where it could not be read then, what
 * is around `focus`, as much as can be read.
 */
export const firstFrame = (whole: Frame, place: Size, focus: Frame): Frame => {
  const scale = Math.min(place.width / whole.width, place.height / whole.height);
  if (!(scale > 0) || scale >= smallestScale) return whole;
  const fitting = Math.min(
    place.width / (focus.width + 2 * focusMargin),
    place.height / (focus.height + 2 * focusMargin),
  );
  const seen = within(fitting, smallestScale, readableScale);
  const width = Math.min(whole.width, place.width / seen);
  const height = Math.min(whole.height, place.height / seen);
  return {
    x: within(focus.x + focus.width / 2 - width / 2, whole.x, whole.x + whole.width - width),
    y: within(focus.y + focus.height / 2 - height / 2, whole.y, whole.y + whole.height - height),
    width,
    height,
  };
};

const within = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

/** The smallest frame around some boxes; `otherwise` when there is none. */
export const around = (boxes: readonly Box[], otherwise: Frame): Frame => {
  if (boxes.length === 0) return otherwise;
  const x = Math.min(...boxes.map(([left]) => left));
  const y = Math.min(...boxes.map(([, top]) => top));
  return {
    x,
    y,
    width: Math.max(...boxes.map(([left, , width]) => left + width)) - x,
    height: Math.max(...boxes.map(([, top, , height]) => top + height)) - y,
  };
};
