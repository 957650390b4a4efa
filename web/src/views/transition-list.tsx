// The transitions of one actor, newest first: what came, what it led to, what was done, how long it took.
import type { Frame } from '../../../src/http/inspect/protocol.ts';
import { stateWords } from '../../../src/http/inspect/state-value.ts';
import type { Drawing } from '../chart/load-chart.ts';
import { brief, clockTimeMs, micros } from '../lib/format.ts';
import { Empty } from '../parts/bits.tsx';

interface Props {
  readonly frames: readonly Frame[];
  readonly at: number | undefined;
  readonly drawing: Drawing | undefined;
  readonly onPick: (seq: number) => void;
}

export const TransitionList = ({ frames, at, drawing, onPick }: Props) => {
  if (frames.length === 0)
    return <Empty>Nothing happened since you opened this page. It is watched now.</Empty>;
  return (
    <ol class="transitions">
      {[...frames].reverse().map((frame) => (
        <li key={frame.seq} class={frame.seq === at ? 'at' : ''}>
          <button type="button" onClick={() => onPick(frame.seq)} aria-pressed={frame.seq === at}>
            <span class="top">
              <time>{clockTimeMs(frame.atMs)}</time>
              <b title={drawing?.graph.events[eventType(frame)]}>{eventType(frame)}</b>
              <span class="num">{micros(frame.durationUs)}</span>
            </span>
            <Moved frame={frame} />
            <span class="did">{[...new Set([...frame.actions, ...frame.effects])].join(' · ')}</span>
            {frame.diff.length > 0 && (
              <span class="changed">
                {frame.diff
                  .slice(0, 3)
                  .map((entry) => `${entry.path} → ${brief(entry.after, 24)}`)
                  .join(', ')}
                {frame.diff.length > 3 && ` and ${frame.diff.length - 3} more`}
              </span>
            )}
          </button>
        </li>
      ))}
    </ol>
  );
};

const eventType = (frame: Frame): string => {
  const { event } = frame;
  if (typeof event === 'object' && event !== null && 'type' in event)
    return String((event as { type: unknown }).type);
  return String(event);
};

/** Only the regions that moved; a transition that changed none says so. */
const Moved = ({ frame }: { frame: Frame }) => {
  if (!frame.changed) return <span class="moved none">not taken: no transition was enabled</span>;
  const before = new Set(stateWords(frame.from));
  const after = stateWords(frame.to).filter((word) => !before.has(word));
  const gone = [...before].filter((word) => !stateWords(frame.to).includes(word));
  if (after.length === 0) return <span class="moved">stays</span>;
  return (
    <span class="moved">
      {gone.join(', ')} <span aria-hidden="true">→</span> <em>{after.join(', ')}</em>
    </span>
  );
};
