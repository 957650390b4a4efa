// How often: a warmer colour, a thicker line, and the number itself, for people who do not see the colour.
import { type Heat, shareOf } from '../lib/heat.ts';

const countOf = (heat: Heat, ids: readonly string[]): number =>
  ids.reduce((sum, id) => sum + (heat.counts.get(id) ?? 0), 0);

export const isCold = (heat: Heat | undefined, ids: readonly string[]): boolean =>
  heat !== undefined && countOf(heat, ids) === 0;

/** The sheet makes the colour and the width of `--heat`, 0 to 1. */
export const heatStyle = (heat: Heat | undefined, ids: readonly string[]) =>
  heat === undefined ? undefined : { '--heat': Math.min(1, shareOf(heat, countOf(heat, ids))).toFixed(2) };

interface Props {
  readonly heat: Heat | undefined;
  readonly ids: readonly string[];
  /** The corner it sits on. */
  readonly x: number;
  readonly y: number;
}

export const HeatMark = ({ heat, ids, x, y }: Props) => {
  const count = heat === undefined ? 0 : countOf(heat, ids);
  if (count === 0) return null;
  const text = count.toLocaleString('en');
  const width = text.length * 6.5 + 10;
  return (
    <g class="heat-mark" transform={`translate(${x - width + 5} ${y - 7})`}>
      <title>{`taken ${count === 1 ? 'once' : `${text} times`} since it is watched`}</title>
      <rect width={width} height={14} rx={7} />
      <text x={width / 2} y={10.5}>
        {text}
      </text>
    </g>
  );
};
