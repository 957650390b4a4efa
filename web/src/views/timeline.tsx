// Time travel: one tick for each seen transition; drag along them and the chart shows that moment.

import type { Frame } from '../../../src/http/inspect/protocol.ts';
import { clockTimeMs } from '../lib/format.ts';

interface Props {
  readonly frames: readonly Frame[];
  /** Sequence number of the moment shown; undefined for now. */
  readonly at: number | undefined;
  readonly onPick: (seq: number | undefined) => void;
}

export const Timeline = ({ frames, at, onPick }: Props) => {
  if (frames.length === 0) return null;
  const index = at === undefined ? frames.length : frames.findIndex((frame) => frame.seq === at);
  const pick = (position: number): void => onPick(frames[position]?.seq);
  const shown = frames[index];
  return (
    <div class="timeline">
      <button
        type="button"
        class="quiet"
        aria-label="One transition back"
        disabled={index <= 0}
        onClick={() => pick(index - 1)}
      >
        ◂
      </button>
      <div class="track">
        <div class="ticks" aria-hidden="true">
          {frames.map((frame) => (
            <i key={frame.seq} class={`${frame.changed ? '' : 'still'} ${frame.seq === at ? 'at' : ''}`} />
          ))}
          <i class={`now ${at === undefined ? 'at' : ''}`} />
        </div>
        <input
          type="range"
          min={0}
          max={frames.length}
          value={index}
          aria-label="Moment shown"
          aria-valuetext={shown === undefined ? 'now' : clockTimeMs(shown.atMs)}
          onInput={(event) => pick(Number(event.currentTarget.value))}
        />
      </div>
      <button
        type="button"
        class="quiet"
        aria-label="One transition on"
        disabled={at === undefined}
        onClick={() => pick(index + 1)}
      >
        ▸
      </button>
      <button
        type="button"
        class={at === undefined ? 'quiet' : ''}
        disabled={at === undefined}
        onClick={() => onPick(undefined)}
      >
        {shown === undefined ? 'now' : `${clockTimeMs(shown.atMs)} · back to now`}
      </button>
    </div>
  );
};
