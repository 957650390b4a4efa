// Every transition an event could have taken, and what its guard said: the answer to "why not".
import type { Candidate } from '../../../src/http/inspect/protocol.ts';
import { whyNot } from '../lib/guard-words.ts';

export const Candidates = ({ list }: { list: readonly Candidate[] }) => (
  <ul class="candidates">
    {list.map((one) => (
      <li key={one.id} class={one.taken ? 'taken' : one.verdict}>
        <span class="verdict">
          {one.taken ? 'taken' : one.verdict === 'yes' ? 'not reached' : one.verdict}
        </span>
        <code>{one.id.split('|')[0]?.split('.').slice(1).join('.') || 'machine'}</code>
        {one.guard !== '' && <span>[{one.guard}]</span>}
        {reasonOf(one) !== '' && <span class="dim">{reasonOf(one)}</span>}
      </li>
    ))}
  </ul>
);

const reasonOf = ({ guard, verdict, why }: Candidate): string =>
  why ?? (verdict === 'no' ? whyNot(guard) : '');
