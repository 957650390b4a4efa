// Every transition an event could have taken, and what its guard said: the answer to "why not".
import type { Candidate } from '../../../src/http/inspect/protocol.ts';

export const Candidates = ({ list }: { list: readonly Candidate[] }) => (
  <ul class="candidates">
    {list.map((one) => (
      <li key={one.id} class={one.taken ? 'taken' : one.verdict}>
        <span class="verdict">
          {one.taken ? 'taken' : one.verdict === 'yes' ? 'not reached' : one.verdict}
        </span>
        <code>{one.id.split('|')[0]?.split('.').slice(1).join('.') || 'machine'}</code>
        {one.guard !== '' && <span>[{one.guard}]</span>}
        {one.why !== undefined && <span class="dim">{one.why}</span>}
      </li>
    ))}
  </ul>
);
