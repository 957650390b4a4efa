// A group of states that has its coordinates: moving it, and putting several together. Pure.
import type { Box, Point } from './chart-layout.ts';

export interface Place {
  readonly width: number;
  readonly height: number;
}
export interface LaidLine {
  readonly points: readonly Point[];
  readonly label: Box | null;
}
/** Coordinates from the group's own upper left corner. */
export interface LaidGroup extends Place {
  readonly boxes: ReadonlyMap<string, Box>;
  readonly lines: ReadonlyMap<string, LaidLine>;
}

const gap = 16;

export const scaleIn = (place: Place, laid: Place): number =>
  Math.min(place.width / laid.width, place.height / laid.height);

/** Groups without lines between them: one below the other, or side by side if that can be drawn larger. */
export const pack = (parts: readonly LaidGroup[], place: Place): LaidGroup => {
  const below = arrange(parts, 'below');
  const beside = arrange(parts, 'beside');
  return scaleIn(place, beside) > scaleIn(place, below) ? beside : below;
};

const arrange = (parts: readonly LaidGroup[], how: 'below' | 'beside'): LaidGroup => {
  const boxes = new Map<string, Box>();
  const lines = new Map<string, LaidLine>();
  const size = { width: 0, height: 0 };
  for (const part of parts) {
    const moved = how === 'below' ? shift(part, 0, size.height) : shift(part, size.width, 0);
    for (const [id, box] of moved.boxes) boxes.set(id, box);
    for (const [key, line] of moved.lines) lines.set(key, line);
    if (how === 'below') {
      size.height += part.height + gap;
      size.width = Math.max(size.width, part.width);
    } else {
      size.width += part.width + gap;
      size.height = Math.max(size.height, part.height);
    }
  }
  return how === 'below'
    ? { width: size.width, height: size.height - gap, boxes: stretched(parts, boxes, size.width), lines }
    : { width: size.width - gap, height: size.height, boxes, lines };
};

/** Stacked regions get the same width. */
const stretched = (
  parts: readonly LaidGroup[],
  boxes: ReadonlyMap<string, Box>,
  width: number,
): ReadonlyMap<string, Box> => {
  const outer = new Set(parts.map((part) => [...part.boxes.keys()].at(-1)));
  return new Map([...boxes].map(([id, box]) => [id, outer.has(id) ? [box[0], box[1], width, box[3]] : box]));
};

export const shift = (laid: LaidGroup, dx: number, dy: number): LaidGroup => {
  const move = ([x, y, width, height]: Box): Box => [x + dx, y + dy, width, height];
  return {
    ...laid,
    boxes: new Map([...laid.boxes].map(([id, box]) => [id, move(box)])),
    lines: new Map(
      [...laid.lines].map(([key, { points, label }]) => [
        key,
        {
          points: points.map(([x, y]): Point => [x + dx, y + dy]),
          label: label === null ? null : move(label),
        },
      ]),
    ),
  };
};
