// A deadline as a ring that empties, with the time left beside it in words: the ring is never the only sign.
import type { DeadlineView } from '../../../src/http/inspect/protocol.ts';
import { now } from '../lib/clock.ts';
import { countdown, duration } from '../lib/format.ts';

/** The longest time left ever seen of a deadline, where the backend does not say when it was armed. */
const fullMs = new Map<string, number>();

const shareLeft = (deadline: DeadlineView, leftMs: number): number => {
  if (deadline.armedAtMs !== undefined) return leftMs / Math.max(1, deadline.atMs - deadline.armedAtMs);
  const key = `${deadline.name}@${deadline.atMs}`;
  const full = Math.max(fullMs.get(key) ?? 0, leftMs, 1);
  if (fullMs.size > 500) fullMs.clear();
  fullMs.set(key, full);
  return leftMs / full;
};

interface Props {
  readonly deadline: DeadlineView;
  readonly radius: number;
  readonly labelled?: boolean;
}

/** Inside an SVG. */
export const DeadlineRing = ({ deadline, radius, labelled = false }: Props) => {
  const leftMs = Math.max(0, deadline.atMs - now.value);
  const share = Math.min(1, shareLeft(deadline, leftMs));
  const mood = leftMs === 0 ? 'over' : share < 0.25 ? 'soon' : '';
  return (
    <g class={`ring ${mood}`}>
      <title>{`deadline ${deadline.name}: ${countdown(leftMs)}`}</title>
      <circle class="back" r={radius} />
      <circle class="track" r={radius - 3} />
      <circle
        class="left"
        r={radius - 3}
        pathLength={100}
        stroke-dasharray={`${share * 100} 100`}
        transform="rotate(-90)"
      />
      {labelled && (
        <text class="time" y={3.5}>
          {leftMs < 60_000 ? countdown(leftMs) : duration(leftMs / 1000).split(' ')[0]}
        </text>
      )}
    </g>
  );
};

/** Outside an SVG, with its name. */
export const DeadlineChip = ({ deadline }: { deadline: DeadlineView }) => (
  <span class="deadline-chip">
    <svg width="18" height="18" viewBox="-9 -9 18 18" aria-hidden="true">
      <DeadlineRing deadline={deadline} radius={9} />
    </svg>
    <b>{deadline.name}</b> <span class="num">{countdown(deadline.atMs - now.value)}</span>
  </span>
);
