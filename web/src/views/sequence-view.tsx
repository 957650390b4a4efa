// Messages over time, a lane for each actor and for what lies outside: who told whom, and what it led to.
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { encode } from '../lib/api.ts';
import { clockTimeMs } from '../lib/format.ts';
import { type Message, sequenceOf } from '../lib/lanes.ts';
import { askRelated, useFramesOf } from '../lib/related-actors.ts';
import { href } from '../lib/router.ts';
import { Empty } from '../parts/bits.tsx';

const timeWidth = 92;
const smallestLane = 112;
const rowHeight = 26;
const headHeight = 44;
const characterWidth = 6.7;
/** More rows than anybody reads; older ones are in the list of transitions. */
const maxRows = 160;

interface Props {
  readonly id: string;
  /** The transition shown in the chart, where it is one of the past. */
  readonly at: number | undefined;
  readonly onPick: (seq: number) => void;
}

export const SequenceView = ({ id, at, onPick }: Props) => {
  const actors = useSignal<readonly string[]>([id]);
  useEffect(() => {
    let left = false;
    askRelated(id).then(
      (found) => {
        if (!left) actors.value = found;
      },
      // Without the right to list actors, one's own lane is shown alone.
      () => undefined,
    );
    return () => {
      left = true;
    };
  }, [id]);
  const { frames, isWatching } = useFramesOf(actors.value);
  const { lanes, messages } = useMemo(() => sequenceOf(actors.value, frames), [actors.value, frames.at(-1)]);
  const lastRow = messages.at(-1)?.row ?? -1;
  const firstRow = Math.max(0, lastRow + 1 - maxRows);
  const shown = messages.filter(({ row }) => row >= firstRow);
  const holder = useEnd(shown.at(-1)?.seq);
  const room = (holder.current?.clientWidth ?? 0) - timeWidth;
  const laneWidth = Math.max(smallestLane, Math.floor(room / Math.max(1, lanes.length)));
  const xOf = (lane: string): number => timeWidth + (lanes.indexOf(lane) + 0.5) * laneWidth;
  const width = timeWidth + lanes.length * laneWidth;
  const height = (lastRow - firstRow + 1) * rowHeight + 16;
  return (
    <div class={`sequence ${isWatching ? 'watching' : ''}`} ref={holder}>
      <div class="lane-heads" style={{ width: `${width}px`, height: `${headHeight}px` }}>
        {lanes.map((lane) => (
          <LaneHead
            key={lane}
            lane={lane}
            isOwn={lane === id}
            left={xOf(lane) - laneWidth / 2}
            width={laneWidth}
          />
        ))}
      </div>
      {shown.length === 0 && (
        <Empty>{isWatching ? 'Watching. No message since you opened this page.' : 'Connecting…'}</Empty>
      )}
      <svg
        width={width}
        height={height}
        role="img"
        aria-label={`${shown.length} messages between ${lanes.join(', ')}`}
      >
        <defs>
          <marker
            id="told"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="8"
            markerHeight="8"
            orient="auto"
          >
            <path d="M0 .8 7.2 4 0 7.2z" />
          </marker>
        </defs>
        {lanes.map((lane) => (
          <line
            key={lane}
            class={`lane ${lane === id ? 'own' : ''}`}
            x1={xOf(lane)}
            x2={xOf(lane)}
            y1={0}
            y2={height}
          />
        ))}
        {shown.map((message) => (
          <Arrow
            key={`${message.seq}/${message.kind}/${message.to}`}
            message={message}
            from={xOf(message.from)}
            to={xOf(message.to)}
            y={(message.row - firstRow) * rowHeight + 18}
            isAt={message.seq === at}
            showsTime={message.kind === 'event'}
            onPick={message.to === id || message.from === id ? () => onPick(message.seq) : undefined}
          />
        ))}
      </svg>
    </div>
  );
};

/** Stays at the newest message, unless somebody scrolled away from it. */
const useEnd = (newest: number | undefined) => {
  const holder = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const box = holder.current;
    const look = (): void => {
      if (box !== null) isAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < 40;
    };
    box?.addEventListener('scroll', look, { passive: true });
    return () => box?.removeEventListener('scroll', look);
  }, []);
  useLayoutEffect(() => {
    if (isAtEnd.current) holder.current?.scrollTo({ top: holder.current.scrollHeight });
  }, [newest]);
  return holder;
};

const LaneHead = (props: { lane: string; isOwn: boolean; left: number; width: number }) => {
  const { lane, isOwn, left, width } = props;
  const colon = lane.indexOf(':');
  const place = { left: `${left}px`, width: `${width}px` };
  if (colon < 0)
    return (
      <span class="lane-head outside" style={place}>
        {lane}
      </span>
    );
  return (
    <a
      class={`lane-head ${isOwn ? 'own' : ''}`}
      style={place}
      href={href(`/actor/${encode(lane)}`)}
      title={lane}
    >
      <span class="dim">{lane.slice(0, colon)}</span>
      <b>{lane.slice(lane.indexOf('/') + 1)}</b>
    </a>
  );
};

interface ArrowProps {
  readonly message: Message;
  readonly from: number;
  readonly to: number;
  readonly y: number;
  readonly isAt: boolean;
  readonly showsTime: boolean;
  readonly onPick: (() => void) | undefined;
}

const Arrow = ({ message, from, to, y, isAt, showsTime, onPick }: ArrowProps) => {
  const { kind, label, moved, atMs } = message;
  const isSelf = from === to;
  const way = Math.sign(to - from);
  const path = isSelf ? `M${from} ${y - 5}h22v8h-18` : `M${from} ${y}H${to - way * 5}`;
  // What goes out together is told apart where it arrives, what comes in where it comes from.
  const start = kind === 'effect' ? to - way * 12 : from + (isSelf ? 28 : way * 12);
  const isLeftOf = isSelf ? false : (kind === 'effect') === way > 0;
  const movedX = isSelf ? start + label.length * characterWidth + 8 : to + (way < 0 ? -10 : 10);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the same can be picked in the list of transitions
    <g class={`told ${kind} ${isAt ? 'at' : ''} ${onPick === undefined ? '' : 'pickable'}`} onClick={onPick}>
      <rect class="band" x={0} y={y - rowHeight / 2 - 3} width="100%" height={rowHeight} />
      {showsTime && (
        <text class="when" x={8} y={y + 3}>
          {clockTimeMs(atMs)}
        </text>
      )}
      <path d={path} marker-end="url(#told)" />
      <text class="what" x={start} y={y - 4} text-anchor={isLeftOf ? 'end' : 'start'}>
        {label}
      </text>
      {moved !== '' && <circle class="moved" cx={to} cy={y} r={5} />}
      {moved !== '' && (
        <text class="moved" x={movedX} y={isSelf ? y - 4 : y + 4} text-anchor={way < 0 ? 'end' : 'start'}>
          {moved}
        </text>
      )}
    </g>
  );
};
