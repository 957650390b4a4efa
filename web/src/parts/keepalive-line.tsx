// The signs of life of one agent on a line of time: each as a tick, the pauses between them, and when the next is due.
import { now } from '../lib/clock.ts';
import { ago, clockTime, duration, severityOf } from '../lib/format.ts';
import type { EventCheck } from '../lib/resources.ts';

const width = 1000;
const height = 46;
const base = 26;

interface Props {
  /** Of the check `keepalive`. */
  readonly check: EventCheck;
  /** Seconds without a sign of life after which it is told. */
  readonly timeoutSeconds: number;
  /** When the agent was last heard, in Unix seconds; 0 when nobody knows. */
  readonly lastSeen: number;
}

export const KeepaliveLine = ({ check, timeoutSeconds, lastSeen }: Props) => {
  const history = check.history ?? [];
  // A failure tells that nothing came: it is no sign of life.
  const signs = history.filter(({ status }) => status === 0);
  const last = Math.max(lastSeen, signs.at(-1)?.executed ?? 0) || check.last_ok;
  const first = Math.min(history[0]?.executed || last, last);
  const due = last + timeoutSeconds;
  const nowSeconds = now.value / 1000;
  const end = Math.max(due, nowSeconds);
  const xOf = (at: number): number => 8 + ((at - first) / Math.max(1, end - first)) * (width - 16);
  const isLate = nowSeconds > due;
  const said = `${signs.length} signs of life since ${clockTime(first * 1000)}, the last ${ago(last, now.value)}`;
  return (
    <div class="keepalive">
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={said}>
        <line class="axis" x1={0} x2={width} y1={base} y2={base} />
        <rect
          class={`wait ${isLate ? 'late' : ''}`}
          x={xOf(last)}
          width={Math.max(0, xOf(Math.min(nowSeconds, due)) - xOf(last))}
          y={base - 4}
          height={8}
        />
        {isLate && (
          <rect class="silence" x={xOf(due)} width={xOf(nowSeconds) - xOf(due)} y={base - 4} height={8} />
        )}
        {history.map((past, index) => (
          <line
            key={`${past.executed}-${index}`}
            class={`sign ${severityOf(past.status)}`}
            x1={xOf(past.executed)}
            x2={xOf(past.executed)}
            y1={past.status === 0 ? 12 : 4}
            y2={40}
          >
            <title>{`${severityOf(past.status)} at ${clockTime(past.executed * 1000)}`}</title>
          </line>
        ))}
        <line class="due" x1={xOf(due)} x2={xOf(due)} y1={4} y2={44} />
      </svg>
      <div class="keepalive-words num">
        <span>{clockTime(first * 1000)}</span>
        <span>
          last {ago(last, now.value)}
          {check.interval > 0 && ` · every ${duration(check.interval)}`}
        </span>
        <span class={isLate ? 'loud' : ''}>
          {isLate ? `silent for ${duration(nowSeconds - last)}` : `due within ${duration(due - nowSeconds)}`}
        </span>
      </div>
    </div>
  );
};
