// Statuses as shape, colour and word together: none of the three is ever the only sign.
import { type Severity, severityOf } from '../lib/format.ts';

const shapes: Readonly<Record<Severity, string>> = {
  ok: 'M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0-13z',
  warning: 'M8 1.6 15 14.2H1z',
  critical: 'M4.9 1.2h6.2l3.7 3.7v6.2l-3.7 3.7H4.9L1.2 11.1V4.9z',
  unknown: 'M8 .9 15.1 8 8 15.1.9 8z',
};
const marks: Readonly<Record<Severity, string>> = {
  ok: 'M4.8 8.2 7.1 10.6 11.3 5.8',
  warning: 'M8 6v4M8 11.8v.4',
  critical: 'M8 4.4v4.4M8 11v.4',
  unknown: 'M6.3 6.4c0-2.4 3.6-2.3 3.5-.1C9.7 7.6 8 7.8 8 9.2M8 11.1v.3',
};

export const StatusIcon = ({ status, size = 16 }: { status: number; size?: number }) => {
  const severity = severityOf(status);
  return (
    <svg class={`status-icon ${severity}`} width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <path class="shape" d={shapes[severity]} />
      <path class="mark" d={marks[severity]} />
    </svg>
  );
};

export const StatusWord = ({ status }: { status: number }) => {
  const severity = severityOf(status);
  return (
    <span class={`status-word ${severity}`}>
      <StatusIcon status={status} />
      {severity === 'unknown' ? `unknown ${status}` : severity}
    </span>
  );
};

interface Past {
  readonly status: number;
  readonly executed: number;
}

/** The last results as bars, oldest first; height tells the severity besides colour. */
export const HistoryStrip = ({ history, wide = false }: { history: readonly Past[]; wide?: boolean }) => {
  const step = wide ? 14 : 5;
  const height = wide ? 34 : 16;
  const heights: Readonly<Record<Severity, number>> = { ok: 0.3, warning: 0.65, unknown: 0.8, critical: 1 };
  const said = history.map((past) => severityOf(past.status)).join(', ');
  return (
    <svg
      class="strip"
      width={21 * step}
      height={height}
      viewBox={`0 0 ${21 * step} ${height}`}
      role="img"
      aria-label={`last ${history.length} results, oldest first: ${said}`}
    >
      {history.slice(-21).map((past, index, all) => {
        const severity = severityOf(past.status);
        const tall = Math.max(3, height * heights[severity]);
        const x = (21 - all.length + index) * step;
        return (
          <rect
            key={`${past.executed}-${index}`}
            class={severity}
            x={x}
            y={height - tall}
            width={step - (wide ? 3 : 1.5)}
            height={tall}
            rx={1}
          >
            <title>{`${severity} (${past.status}) at ${new Date(past.executed * 1000).toLocaleString()}`}</title>
          </rect>
        );
      })}
    </svg>
  );
};
