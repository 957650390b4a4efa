// What changed in a context: path, before, after.
import type { DiffEntry } from '../../../src/http/inspect/protocol.ts';
import { brief } from '../lib/format.ts';
import { Empty } from '../parts/bits.tsx';

export const DiffList = ({ entries }: { entries: readonly DiffEntry[] }) => {
  if (entries.length === 0) return <Empty>The context stayed as it was.</Empty>;
  return (
    <ul class="diff">
      {entries.map(({ path, before, after }) => (
        <li key={path}>
          <code class="path">{path}</code>
          <span>
            <del>{brief(before, 80)}</del> <ins>{brief(after, 80)}</ins>
          </span>
        </li>
      ))}
    </ul>
  );
};
