// Who supervises whom. Rows exist only near the screen, and only those are asked for: the tree may hold a hundred
// thousand leaves.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { TreeNode, TreePage } from '../../../src/http/inspect/protocol.ts';
import { stateWords } from '../../../src/http/inspect/state-value.ts';
import { isUsual } from '../lib/actor-id.ts';
import { encode, getJson, inspect } from '../lib/api.ts';
import { plural } from '../lib/format.ts';
import { href } from '../lib/router.ts';
import {
  lengthOf,
  questionsFor,
  rowsBetween,
  runsOf,
  type Tree,
  type TreeRow,
  withPage,
} from '../lib/tree-rows.ts';
import { Problem } from '../parts/bits.tsx';
import { VirtualRange } from '../parts/virtual-list.tsx';

const everyMs = 3_000;
const firstRows = 100;
/** A parent of which more is seen than this is asked for in parts. */
const mostAtOnce = 1_000;

export const SupervisorTree = () => {
  const tree = useSignal<Tree>(new Map());
  /** Roots are open until somebody closes them; all else is closed until somebody opens it. */
  const turned = useSignal<ReadonlySet<string>>(new Set());
  const withEmpty = useSignal(false);
  const problem = useSignal<string | undefined>(undefined);
  const seen = useRef<readonly TreeRow[]>([]);

  const ask = async (parent: string, from: number, limit: number): Promise<void> => {
    const query = new URLSearchParams({
      from: String(from),
      limit: String(Math.min(mostAtOnce, limit)),
      empty: String(withEmpty.value),
      ...(parent === '' ? {} : { parent }),
    });
    try {
      const page = await getJson<TreePage>(inspect(`tree?${query}`));
      tree.value = withPage(tree.value, parent, from, page);
      problem.value = undefined;
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error);
    }
  };
  const refresh = (): Promise<unknown> =>
    Promise.all(questionsFor(seen.current).map(({ parent, from, limit }) => ask(parent, from, limit)));

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let left = false;
    const round = async (): Promise<void> => {
      if (document.visibilityState === 'visible') await refresh();
      if (!left) timer = setTimeout(round, everyMs);
    };
    tree.value = new Map();
    void ask('', 0, firstRows).then(round);
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [withEmpty.value]);

  const roots = tree.value.get('')?.nodes;
  const rootIds = useMemo(() => new Set([...(roots ?? [])].map(([, { id }]) => id)), [roots]);
  const isOpen = (id: string): boolean => rootIds.has(id) !== turned.value.has(id);
  useEffect(() => {
    for (const id of rootIds) if (isOpen(id) && !tree.value.has(id)) void ask(id, 0, firstRows);
  }, [rootIds]);
  const turn = (id: string): void => {
    const next = new Set(turned.value);
    if (!next.delete(id)) next.add(id);
    turned.value = next;
    if (isOpen(id)) void ask(id, 0, firstRows);
  };
  const runs = useMemo(() => runsOf(tree.value, isOpen), [tree.value, turned.value]);
  const look = (from: number, to: number): readonly TreeRow[] => {
    seen.current = rowsBetween(tree.value, runs, from, to);
    return seen.current;
  };
  /** Scrolled to where nothing is known yet: that is not put off to the next round. */
  const onSeen = (): void => {
    const holes = seen.current.filter(({ node }) => node === undefined);
    for (const { parent, from, limit } of questionsFor(holes)) void ask(parent, from, limit);
  };
  return (
    <>
      {problem.value !== undefined && <Problem text={problem.value} again={() => void refresh()} />}
      <label class="row tree-options">
        <input
          type="checkbox"
          checked={withEmpty.value}
          onChange={(event) => {
            withEmpty.value = event.currentTarget.checked;
          }}
        />
        <span class="dim">supervisors without children, too</span>
      </label>
      <VirtualRange
        class="tree"
        count={lengthOf(runs)}
        onSeen={onSeen}
        rows={(from, to) =>
          look(from, to).map((row) => (
            <li
              key={row.node?.id ?? `${row.parent}/${row.place}`}
              style={{ paddingLeft: `${row.depth * 22}px` }}
            >
              {row.node === undefined ? (
                <span class="dim">…</span>
              ) : row.node.kind === 'actor' ? (
                <Leaf node={row.node} />
              ) : (
                <Twig node={row.node} isOpen={isOpen(row.node.id)} onTurn={turn} />
              )}
            </li>
          ))
        }
      />
    </>
  );
};

const Leaf = ({ node }: { node: TreeNode }) => (
  <>
    <a class="leaf" href={href(`/actor/${encode(node.id)}`)}>
      {node.id}
    </a>
    <span class="state-words">
      {stateWords(node.value).map((word) => (
        <code key={word}>{word}</code>
      ))}
    </span>
    <Counts node={node} />
  </>
);

interface TwigProps {
  readonly node: TreeNode;
  readonly isOpen: boolean;
  readonly onTurn: (id: string) => void;
}

const Twig = ({ node, isOpen, onTurn }: TwigProps) => (
  <button type="button" class="twig" aria-expanded={isOpen} onClick={() => onTurn(node.id)}>
    <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> <b>{node.id}</b>
    <span class="dim">
      {plural(node.children, 'child', 'children')}
      {node.strategy !== undefined && ` · ${node.strategy.replaceAll('_', ' ')}`}
    </span>
    <Counts node={node} />
  </button>
);

const Counts = ({ node }: { node: TreeNode }) => (
  <>
    {!isUsual(node.status) && <code class="odd">{node.status}</code>}
    {node.restarts > 0 && <span class="loud num">{plural(node.restarts, 'restart')}</span>}
    {node.mailbox > 0 && <span class="loud num">{node.mailbox} waiting</span>}
  </>
);
