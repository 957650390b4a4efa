// What ELK answered, as our own coordinates. Throws when a line has no way: the caller then tries another manner.
import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import type { Box, Point } from './chart-layout.ts';
import { type LaidGroup, type LaidLine, shift } from './laid-group.ts';

/** `inner`: groups that were laid out before and stood in as boxes. */
export const readElk = (laid: ElkNode, inner: ReadonlyMap<string, LaidGroup>): LaidGroup => {
  const boxes = new Map<string, Box>();
  const lines = new Map<string, LaidLine>();
  const read = (node: ElkNode): void => {
    const box = boxOf(node);
    const done = inner.get(node.id);
    if (done !== undefined) {
      const moved = shift(done, box[0], box[1]);
      for (const [id, own] of moved.boxes) boxes.set(id, own);
      for (const [key, line] of moved.lines) lines.set(key, line);
    } else if (node.id !== '|root') boxes.set(node.id, box);
    for (const edge of node.edges ?? []) {
      const label = edge.labels?.[0];
      lines.set(edge.id, { points: pointsOf(edge), label: label === undefined ? null : boxOf(label) });
    }
    for (const child of node.children ?? []) read(child);
  };
  read(laid);
  return { width: laid.width ?? 0, height: laid.height ?? 0, boxes, lines };
};

const pointsOf = (edge: ElkExtendedEdge): Point[] => {
  const sections = edge.sections ?? [];
  if (sections.length === 0) throw new Error(`the line ${edge.id} was not routed`);
  return sections.flatMap((section) =>
    [section.startPoint, ...(section.bendPoints ?? []), section.endPoint].map(({ x, y }): Point => [x, y]),
  );
};

const boxOf = (box: { x?: number; y?: number; width?: number; height?: number }): Box => [
  box.x ?? 0,
  box.y ?? 0,
  box.width ?? 0,
  box.height ?? 0,
];
