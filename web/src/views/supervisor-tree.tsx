// Who supervises whom. Each branch is asked for when it is opened: the tree may hold a hundred thousand leaves.
import { useSignal } from '@preact/signals';
import type { TreeNode } from '../../../src/http/inspect/protocol.ts';
import { stateWords } from '../../../src/http/inspect/state-value.ts';
import { isUsual } from '../lib/actor-id.ts';
import { encode, getJson, inspect } from '../lib/api.ts';
import { plural } from '../lib/format.ts';
import { usePolled } from '../lib/live.ts';
import { href } from '../lib/router.ts';
import { Empty, Problem } from '../parts/bits.tsx';

const shownAtOnce = 200;
/** From so many children on, empty supervisors among them are folded away. */
const manyChildren = 12;
const isEmpty = (node: TreeNode): boolean => node.kind === 'supervisor' && node.children === 0;

export const SupervisorTree = () => (
  <div class="tree">
    <Branch parent={undefined} />
  </div>
);

const Branch = ({ parent }: { parent: string | undefined }) => {
  const path = parent === undefined ? 'tree' : `tree?parent=${encode(parent)}`;
  const found = usePolled<TreeNode[]>(path, 3_000, () => getJson(inspect(path)));
  const limit = useSignal(shownAtOnce);
  const withEmpty = useSignal(false);
  if (found.error !== undefined) return <Problem text={found.error} again={found.again} />;
  if (found.data?.length === 0) return <Empty>No children.</Empty>;
  const all = found.data ?? [];
  const nodes = withEmpty.value || all.length < manyChildren ? all : all.filter((node) => !isEmpty(node));
  return (
    <ul>
      {nodes.slice(0, limit.value).map((node) => (
        <Node key={node.id} node={node} isRoot={parent === undefined} />
      ))}
      {nodes.length < all.length && (
        <li>
          <button
            type="button"
            class="quiet"
            onClick={() => {
              withEmpty.value = true;
            }}
          >
            and {plural(all.length - nodes.length, 'supervisor')} without children
          </button>
        </li>
      )}
      {nodes.length > limit.value && (
        <li>
          <button
            type="button"
            onClick={() => {
              limit.value += shownAtOnce;
            }}
          >
            Show more of {nodes.length}
          </button>
        </li>
      )}
    </ul>
  );
};

const Node = ({ node, isRoot }: { node: TreeNode; isRoot: boolean }) => {
  const open = useSignal(isRoot);
  if (node.kind === 'actor')
    return (
      <li class="leaf">
        <a href={href(`/actor/${encode(node.id)}`)}>{node.id}</a>
        <span class="state-words">
          {stateWords(node.value).map((word) => (
            <code key={word}>{word}</code>
          ))}
        </span>
        <Counts node={node} />
      </li>
    );
  return (
    <li>
      <button
        type="button"
        class="twig"
        aria-expanded={open.value}
        onClick={() => {
          open.value = !open.value;
        }}
      >
        <span aria-hidden="true">{open.value ? '▾' : '▸'}</span> <b>{node.id}</b>
        <span class="dim">
          {plural(node.children, 'child', 'children')}
          {node.strategy !== undefined && ` · ${node.strategy.replaceAll('_', ' ')}`}
        </span>
        <Counts node={node} />
      </button>
      {open.value && <Branch parent={node.id} />}
    </li>
  );
};

const Counts = ({ node }: { node: TreeNode }) => (
  <>
    {!isUsual(node.status) && <code class="odd">{node.status}</code>}
    {node.restarts > 0 && <span class="loud num">{plural(node.restarts, 'restart')}</span>}
    {node.mailbox > 0 && <span class="loud num">{node.mailbox} waiting</span>}
  </>
);
