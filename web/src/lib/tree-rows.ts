// The supervision tree as rows: of each open branch it is known how many children there are, and only those near the
// screen are asked for and held. Pure.
import type { TreeNode, TreePage } from '../../../src/http/inspect/protocol.ts';

interface Branch {
  readonly total: number;
  /** By number among the children, from 0; holes are not known yet. */
  readonly nodes: ReadonlyMap<number, TreeNode>;
}

/** By id of the supervisor; the roots under the empty id. */
export type Tree = ReadonlyMap<string, Branch>;

export interface TreeRow {
  readonly parent: string;
  /** Number among the parent's children. */
  readonly place: number;
  readonly depth: number;
  /** Undefined while it is on its way. */
  readonly node: TreeNode | undefined;
}

/** A run of children of one parent. */
export interface Gap {
  readonly parent: string;
  readonly from: number;
  readonly limit: number;
}

export const withPage = (tree: Tree, parent: string, from: number, { items, total }: TreePage): Tree => {
  const nodes = new Map([...(tree.get(parent)?.nodes ?? [])].filter(([place]) => place < total));
  for (const [index, node] of items.entries()) nodes.set(from + index, node);
  return new Map([...tree, [parent, { total, nodes }]]);
};

interface Run {
  readonly parent: string;
  readonly depth: number;
  readonly from: number;
  readonly count: number;
}

/** The rows of open branches, as runs of neighbours: ten thousand closed children are one run. */
export const runsOf = (tree: Tree, isOpen: (id: string) => boolean): readonly Run[] => {
  const runs: Run[] = [];
  const walk = (parent: string, depth: number): void => {
    const branch = tree.get(parent);
    if (branch === undefined) return;
    const opened = [...branch.nodes]
      .filter(([, node]) => node.kind === 'supervisor' && isOpen(node.id))
      .sort(([a], [b]) => a - b);
    let from = 0;
    for (const [place, node] of opened) {
      runs.push({ parent, depth, from, count: place + 1 - from });
      walk(node.id, depth + 1);
      from = place + 1;
    }
    if (branch.total > from) runs.push({ parent, depth, from, count: branch.total - from });
  };
  walk('', 0);
  return runs;
};

export const lengthOf = (runs: readonly Run[]): number => runs.reduce((sum, { count }) => sum + count, 0);

/** The rows with the numbers from `from` up to `to`, which is left out. */
export const rowsBetween = (
  tree: Tree,
  runs: readonly Run[],
  from: number,
  to: number,
): readonly TreeRow[] => {
  const rows: TreeRow[] = [];
  let passed = 0;
  for (const { parent, depth, from: first, count } of runs) {
    const start = Math.max(0, from - passed);
    const end = Math.min(count, to - passed);
    for (let index = start; index < end; index += 1) {
      const place = first + index;
      rows.push({ parent, place, depth, node: tree.get(parent)?.nodes.get(place) });
    }
    passed += count;
    if (passed >= to) break;
  }
  return rows;
};

/** What has to be asked for so that these rows are known, and as they are now: one question a parent. */
export const questionsFor = (rows: readonly TreeRow[]): readonly Gap[] => {
  const spans = new Map<string, { first: number; last: number }>();
  for (const { parent, place } of rows) {
    const span = spans.get(parent);
    spans.set(parent, {
      first: Math.min(place, span?.first ?? place),
      last: Math.max(place, span?.last ?? place),
    });
  }
  return [...spans].map(([parent, { first, last }]) => ({ parent, from: first, limit: last - first + 1 }));
};
