// The rows of text on a box or a line, one a transition.
import { type Row, rowHeight } from '../../build/labels.ts';

interface RowsProps {
  readonly rows: readonly Row[];
  readonly x: number;
  readonly y: number;
  readonly classOf: (transition: string) => string;
}

/** The same rows as they are read out. */
export const rowsText = (rows: readonly Row[]): string =>
  rows.map(({ event, guard }) => `${event} ${guard}`.trim()).join(' ');

export const Rows = ({ rows, x, y, classOf }: RowsProps) => (
  <>
    {rows.map((row, index) => (
      <text
        key={`${row.transition}|${row.event}|${index}`}
        class={`row ${row.transition === undefined ? 'own' : classOf(row.transition)}`}
        x={x}
        y={y + (index + 0.78) * rowHeight}
      >
        {row.event}
        {row.guard !== '' && <tspan class="guard"> {row.guard}</tspan>}{' '}
      </text>
    ))}
  </>
);
