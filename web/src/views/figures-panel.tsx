// What a check measured: its metrics, and the performance data of its output, as bars with their thresholds; and how each went
// while the page was open.
import { useEffect, useRef } from 'preact/hooks';
import { type Figure, figuresIn, scaleOf } from '../lib/perfdata.ts';
import type { MonEvent } from '../lib/resources.ts';
import { Panel } from '../parts/bits.tsx';

const maxRemembered = 60;
const maxPoints = 60;

const figuresOf = ({ check, metrics }: MonEvent): readonly Figure[] => {
  const points = (metrics?.points ?? []).slice(0, maxPoints).map(({ name, value, tags }) => {
    const told = (tags ?? []).map((tag) => `${tag.name}=${tag.value}`).join(', ');
    const none = { unit: '', warn: undefined, crit: undefined, min: undefined, max: undefined };
    return { name: told === '' ? name : `${name} {${told}}`, value, ...none };
  });
  // An agent makes metrics of performance data: the thresholds are only in the output.
  const data = figuresIn(check.output);
  const known = new Set(data.map(({ name }) => name));
  return [...data, ...points.filter(({ name }) => !known.has(name.replace(/ \{.*$/, '')))];
};

const shown = (value: number): string =>
  Number(value.toPrecision(6)).toLocaleString('en', { maximumFractionDigits: 6 });

export const FiguresPanel = ({ event }: { event: MonEvent }) => {
  const figures = figuresOf(event);
  const seen = useRef(new Map<string, number[]>());
  const { executed } = event.check;
  useEffect(() => {
    for (const { name, value } of figures)
      seen.current.set(name, [...(seen.current.get(name) ?? []), value].slice(-maxRemembered));
  }, [executed]);
  if (figures.length === 0) return null;
  return (
    <Panel title="Measured" class="measured">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col" class="num">
              Value
            </th>
            <th scope="col">Against its thresholds</th>
            <th scope="col">Since this page is open</th>
          </tr>
        </thead>
        <tbody>
          {figures.map((figure, index) => (
            <tr key={`${figure.name} ${index}`}>
              <td>
                <bdi>{figure.name}</bdi>
              </td>
              <td class="num">
                {shown(figure.value)} {figure.unit}
              </td>
              <td>
                <Bar figure={figure} />
              </td>
              <td>
                <Course values={seen.current.get(figure.name) ?? []} name={figure.name} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
};

const width = 220;
const height = 16;

const Bar = ({ figure }: { figure: Figure }) => {
  const scale = scaleOf(figure);
  if (scale === undefined) return <span class="dim">no thresholds</span>;
  const { value, unit, warn, crit, max } = figure;
  const isOver = (limit: number | undefined): boolean => limit !== undefined && value >= limit;
  const severity = isOver(crit) ? 'critical' : isOver(warn) ? 'warning' : 'ok';
  const ticks = [
    ['warning', warn],
    ['critical', crit],
  ] as const;
  const told = [
    ...ticks.flatMap(([name, at]) => (at === undefined ? [] : [`${name} from ${at}${unit}`])),
    ...(max === undefined ? [] : [`at most ${max}${unit}`]),
  ].join(', ');
  return (
    <svg
      class="figure-bar"
      width={width}
      height={height}
      role="img"
      aria-label={`${shown(value)}${unit}; ${told}`}
    >
      <title>{told}</title>
      <rect class="back" width={width} height={height} rx={3} />
      <rect class={severity} width={Math.max(2, scale(value) * width)} height={height} rx={3} />
      {ticks.map(
        ([name, at]) =>
          at !== undefined && (
            <rect key={name} class={`tick ${name}`} x={scale(at) * width - 1} width={2} height={height} />
          ),
      )}
    </svg>
  );
};

const Course = ({ values, name }: { values: readonly number[]; name: string }) => {
  if (values.length < 2) return <span class="dim">one result</span>;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const points = values
    .map((value, index) => {
      const x = (index / (values.length - 1)) * width;
      const y = high === low ? height / 2 : height - 1 - ((value - low) / (high - low)) * (height - 2);
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    })
    .join(' ');
  return (
    <svg
      class="figure-course"
      width={width}
      height={height}
      role="img"
      aria-label={`${name}: ${values.length} results from ${shown(low)} to ${shown(high)}`}
    >
      <polyline points={points} />
    </svg>
  );
};
