// Which figures of the backend are drawn over time, which of them together, and their values from the samples this page
// keeps. Pure.
import { bytes, millis } from './format.ts';

/** One answer of the system route. */
export interface System {
  readonly nowMs: number;
  readonly uptimeSeconds: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
  readonly watchedActors: number;
  readonly streams: number;
  readonly gauges: Readonly<Record<string, number>>;
}

interface Figure {
  readonly name: string;
  /** Absent where this backend does not have the figure. */
  readonly of: (system: System) => number | undefined;
  /** It only grows: what is told is how fast, a second. */
  readonly isTotal?: true;
}

/** Figures of one unit, on one scale. */
export interface FigureGroup {
  readonly title: string;
  readonly tell: (value: number) => string;
  /** The distances between marks on the scale, where round numbers would not be round in this unit. */
  readonly steps?: readonly number[];
  readonly figures: readonly Figure[];
}

const gauge = (name: string, gaugeName: string): Figure => ({
  name,
  of: ({ gauges }) => gauges[gaugeName],
});
const total = (name: string, gaugeName: string): Figure => ({ ...gauge(name, gaugeName), isTotal: true });

/** `1,204.5` */
export const count = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 1 });

const wholeNumbers = Array.from({ length: 9 }, (_, exponent) =>
  [1, 2, 5].map((step) => step * 10 ** exponent),
).flat();
const powersOfTwo = Array.from({ length: 40 }, (_, exponent) => 2 ** exponent);

export const figureGroups: readonly FigureGroup[] = [
  {
    title: 'Throughput, a second',
    tell: count,
    figures: [total('messages', 'messages'), total('commits', 'commits')],
  },
  {
    title: 'Event loop',
    tell: millis,
    figures: [gauge('lag', 'lagMs'), gauge('longest turn', 'longestTurnMs')],
  },
  {
    title: 'Mailboxes',
    tell: count,
    steps: wholeNumbers,
    figures: [gauge('actors waiting', 'queueDepth'), gauge('fullest (p99)', 'mailboxDepthP99')],
  },
  {
    title: 'Store commit',
    tell: millis,
    figures: [gauge('p99', 'p99CommitMs'), gauge('last', 'lastCommitMs')],
  },
  {
    title: 'Deliveries',
    tell: count,
    steps: wholeNumbers,
    figures: [gauge('running', 'deliveriesRunning'), gauge('waiting', 'deliveriesWaiting')],
  },
  { title: 'Actors', tell: count, steps: wholeNumbers, figures: [gauge('alive', 'actors')] },
  { title: 'Agents', tell: count, steps: wholeNumbers, figures: [gauge('sessions', 'sessions')] },
  {
    title: 'Memory',
    tell: bytes,
    steps: powersOfTwo,
    figures: [
      { name: 'resident', of: ({ rssBytes }) => rssBytes },
      { name: 'heap', of: ({ heapBytes }) => heapBytes },
    ],
  },
];

/** One drawn line; a value for each sample, oldest first. */
export interface FigureLine {
  readonly name: string;
  readonly values: readonly number[];
}

/** The lines of the group's figures that the newest sample has. */
export const linesOf = ({ figures }: FigureGroup, samples: readonly System[]): FigureLine[] => {
  const newest = samples.at(-1);
  return figures
    .filter((figure) => newest !== undefined && figure.of(newest) !== undefined)
    .map((figure) => ({
      name: figure.name,
      values: figure.isTotal
        ? samples.map((at, index) => rate(figure, at, samples[index - 1]))
        : samples.map((at) => figure.of(at) ?? 0),
    }));
};

/** Never below 0: a backend that restarted counts from 0 again. */
const rate = ({ of }: Figure, at: System, before: System | undefined): number => {
  if (before === undefined || at.nowMs <= before.nowMs) return 0;
  return Math.max(0, ((of(at) ?? 0) - (of(before) ?? 0)) / ((at.nowMs - before.nowMs) / 1000));
};
