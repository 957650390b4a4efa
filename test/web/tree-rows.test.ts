// The tree of ten thousand actors as rows: what is open is counted, what is near the screen is asked for, nothing else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TreeNode } from '../../src/http/inspect/protocol.ts';
import {
  lengthOf,
  questionsFor,
  rowsBetween,
  runsOf,
  type Tree,
  withPage,
} from '../../web/src/lib/tree-rows.ts';

const node = (id: string, kind: TreeNode['kind'], children = 0): TreeNode => ({
  id,
  kind,
  machine: kind,
  value: null,
  status: 'up',
  children,
  restarts: 0,
  mailbox: 0,
});
const page = (items: readonly TreeNode[], total = items.length) => ({ items, total });
const start: Tree = withPage(new Map(), '', 0, page([node('backend', 'supervisor', 2)]));
const house = withPage(
  start,
  'backend',
  0,
  page([node('boot', 'actor'), node('sessions', 'supervisor', 10_000), node('last', 'actor')]),
);
const open =
  (...ids: readonly string[]) =>
  (id: string): boolean =>
    ids.includes(id);
const idsOf = (tree: Tree, isOpen: (id: string) => boolean, from: number, to: number): string[] =>
  rowsBetween(tree, runsOf(tree, isOpen), from, to).map(
    ({ node: found, depth }) => `${depth} ${found?.id ?? '?'}`,
  );

test('a closed branch is one row, an open one is followed by its children', () => {
  assert.deepEqual(idsOf(house, open(), 0, 9), ['0 backend']);
  assert.deepEqual(idsOf(house, open('backend'), 0, 9), ['0 backend', '1 boot', '1 sessions', '1 last']);
});

test('of ten thousand children only those that are seen are asked for, and all have their place', () => {
  const isOpen = open('backend', 'sessions');
  const first = withPage(house, 'sessions', 0, page([node('s0', 'actor'), node('s1', 'actor')], 10_000));
  assert.equal(lengthOf(runsOf(first, isOpen)), 1 + 3 + 10_000);
  assert.deepEqual(idsOf(first, isOpen, 2, 6), ['1 sessions', '2 s0', '2 s1', '2 ?']);
  assert.deepEqual(idsOf(first, isOpen, 10_002, 10_010), ['2 ?', '1 last']);
  const seen = rowsBetween(first, runsOf(first, isOpen), 5_000, 5_040);
  assert.deepEqual(questionsFor(seen), [{ parent: 'sessions', from: 4_997, limit: 40 }]);
  const filled = withPage(first, 'sessions', 4_997, page([node('s4997', 'actor')], 10_000));
  assert.deepEqual(idsOf(filled, isOpen, 4_999, 5_002), ['2 ?', '2 s4997', '2 ?']);
});

test('children that are gone leave no row', () => {
  const fewer = withPage(house, 'backend', 0, page([node('boot', 'actor')]));
  assert.deepEqual(idsOf(fewer, open('backend'), 0, 9), ['0 backend', '1 boot']);
});

test('rows of several parents are asked for with one question each', () => {
  const rows = rowsBetween(house, runsOf(house, open('backend')), 0, 3);
  assert.deepEqual(questionsFor(rows), [
    { parent: '', from: 0, limit: 1 },
    { parent: 'backend', from: 0, limit: 2 },
  ]);
});
