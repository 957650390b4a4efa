// Lines over time on one scale, from zero up, drawn by uPlot. It hears no pointer and no key of its own: the moment that
// is looked at comes in and goes out as a signal, so that every graph of a page shows the same one.
import { effect, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import type { FigureLine } from '../lib/figures.ts';
import { clockTime } from '../lib/format.ts';
import { palette, theme } from '../lib/settings.ts';
import { lineStyles } from './graph-legend.tsx';

const height = 120;
/** A graph that has just begun is not stretched further than this. */
const leastSpanMs = 15_000;

interface Props {
  readonly label: string;
  /** Wall time of each value, milliseconds, ascending. */
  readonly times: readonly number[];
  readonly lines: readonly FigureLine[];
  readonly tell: (value: number) => string;
  readonly steps?: readonly number[] | undefined;
  /** One of `times`, while somebody looks at it. */
  readonly pointed: Signal<number | undefined>;
}

export const TimeGraph = ({ label, times, lines, tell, steps, pointed }: Props) => {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>();
  const names = lines.map((line) => line.name).join();
  useEffect(() => {
    const box = place.current;
    if (box === null) return;
    const drawn = new uPlot(optionsOf(box.clientWidth, lines, tell, steps), [[]], box);
    plot.current = drawn;
    const resizes = new ResizeObserver(() => drawn.setSize({ width: box.clientWidth, height }));
    resizes.observe(box);
    const unwatchLooks = effect(() => {
      void [theme.value, palette.value];
      drawn.redraw(false);
    });
    const unwatchPointed = effect(() => showMoment(drawn, pointed.value));
    return () => {
      unwatchPointed();
      unwatchLooks();
      resizes.disconnect();
      drawn.destroy();
    };
  }, [names]);
  useEffect(() => {
    const drawn = plot.current;
    // One moment has no line, and no span to put it on.
    if (drawn === undefined || times.length < 2) return;
    drawn.batch(() => drawn.setData([[...times], ...lines.map((line) => [...line.values])]));
    showMoment(drawn, pointed.peek());
  }, [times, names]);

  const last = times.length - 1;
  const at = pointed.value === undefined ? -1 : times.indexOf(pointed.value);
  const index = at < 0 ? last : at;
  const pointAt = (wanted: number): void => {
    pointed.value = times[Math.min(last, Math.max(0, wanted))];
  };
  const leave = (): void => {
    pointed.value = undefined;
  };
  const point = (event: PointerEvent): void => {
    const drawn = plot.current;
    if (drawn === undefined || times.length < 2) return;
    pointAt(drawn.posToIdx(event.clientX - drawn.over.getBoundingClientRect().left));
  };
  const press = (event: KeyboardEvent): void => {
    const wanted = movedBy(event.key, index, last);
    if (wanted === undefined && event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    if (wanted === undefined) leave();
    else pointAt(wanted);
  };
  return (
    <div
      ref={place}
      class="time-graph"
      role="slider"
      tabIndex={0}
      aria-label={`${label}: moment`}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, last)}
      aria-valuenow={Math.max(0, index)}
      aria-valuetext={`${clockTime(times[index] ?? 0)}, ${lines
        .map(({ name, values }) => `${name} ${tell(values[index] ?? 0)}`)
        .join(', ')}`}
      onPointerMove={point}
      onPointerDown={point}
      onPointerLeave={leave}
      onBlur={leave}
      onKeyDown={press}
    />
  );
};

const movedBy = (key: string, index: number, last: number): number | undefined => {
  const moved: Readonly<Record<string, number>> = {
    ArrowLeft: index - 1,
    ArrowDown: index - 1,
    ArrowRight: index + 1,
    ArrowUp: index + 1,
    PageDown: index - 10,
    PageUp: index + 10,
    Home: 0,
    End: last,
  };
  return moved[key];
};

/** Outside of the drawing is uPlot's own word for nowhere. */
const showMoment = (drawn: uPlot, moment: number | undefined): void => {
  const isDrawn = moment !== undefined && drawn.data[0].length > 1;
  drawn.setCursor(isDrawn ? { left: drawn.valToPos(moment, 'x'), top: 0 } : { left: -10, top: -10 });
};

const optionsOf = (
  width: number,
  lines: readonly FigureLine[],
  tell: Props['tell'],
  steps: Props['steps'],
): uPlot.Options => {
  const axis = {
    stroke: () => themed('--dim'),
    font: `11px ${themed('--font')}`,
    ticks: { show: false },
  };
  const grid = { stroke: () => themed('--line'), width: 1 };
  return {
    width,
    height,
    ms: 1,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    scales: {
      x: { range: (_plot, min, max) => [min, Math.max(max, min + leastSpanMs)] },
      y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.1 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 22,
        gap: 6,
        space: 84,
        values: (_plot, at) => at.map(clockTime),
      },
      {
        ...axis,
        grid,
        size: 62,
        gap: 6,
        space: 30,
        values: (_plot, at) => at.map(tell),
        ...(steps !== undefined && { incrs: [...steps] }),
      },
    ],
    series: [{}, ...lines.map((_line, index) => strokeOf(index))],
  };
};

const strokeOf = (index: number): uPlot.Series => {
  const { color, soft, dash } = lineStyles[index % lineStyles.length] ?? lineStyles[0];
  return {
    stroke: () => themed(color),
    width: 1.5,
    dash: [...dash],
    points: { show: false },
    ...(soft !== undefined && { fill: () => themed(soft) }),
  };
};

/** The theme's colour of this moment: a canvas does not follow custom properties by itself. */
const themed = (property: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(property).trim();
