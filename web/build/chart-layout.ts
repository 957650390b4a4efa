// The coordinates of one drawn machine, as they travel with the page. Types only.

/** x, y, width, height in drawing units; the origin is the drawing's upper left corner. */
export type Box = readonly [number, number, number, number];
export type Point = readonly [number, number];

/** One line from a state to a state. */
export interface LaidEdge {
  /** Ids of the transitions that go along it, in the order they are asked. */
  readonly transitions: readonly string[];
  /** Where a transition of a whole group begins: a mark beside its target, instead of a line around everything. */
  readonly stub: Box | null;
  readonly points: readonly Point[];
  readonly label: Box;
}

import type { LabelForm } from './labels.ts';

export interface ChartLayout {
  readonly id: string;
  readonly sha: string;
  readonly form: LabelForm;
  readonly width: number;
  readonly height: number;
  readonly states: Readonly<Record<string, Box>>;
  readonly edges: readonly LaidEdge[];
  readonly initials: readonly {
    readonly state: string;
    readonly dot: Box;
    readonly points: readonly Point[];
  }[];
}
