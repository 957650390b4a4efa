// What the lines of a graph mean and their values at one moment. Lines differ by dashes as well as by colour.
import type { FigureLine } from '../lib/figures.ts';

interface LineStyle {
  /** Custom properties of the theme. */
  readonly color: string;
  readonly soft?: string;
  /** Lengths of strokes and gaps, pixels; none for a whole line. */
  readonly dash: readonly number[];
}

/** By the line's place in its graph. */
export const lineStyles: readonly [LineStyle, ...LineStyle[]] = [
  { color: '--accent', soft: '--accent-soft', dash: [] },
  { color: '--hot', dash: [5, 3] },
];

interface Props {
  readonly lines: readonly FigureLine[];
  /** Which value of each line is told. */
  readonly index: number;
  readonly tell: (value: number) => string;
}

export const GraphLegend = ({ lines, index, tell }: Props) => (
  <dl class="graph-legend">
    {lines.map(({ name, values }, place) => {
      const { color, dash } = lineStyles[place % lineStyles.length] ?? lineStyles[0];
      return (
        <div key={name}>
          <dt>
            <svg width="21" height="8" aria-hidden="true">
              <path d="M0 4H21" stroke={`var(${color})`} stroke-width="2" stroke-dasharray={dash.join(' ')} />
            </svg>
            {name}
          </dt>
          <dd class="num">{tell(values[index] ?? 0)}</dd>
        </div>
      );
    })}
  </dl>
);
