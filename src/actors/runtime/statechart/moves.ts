// Which states a transition leaves and enters: the sets of SCXML (appendix D: computeExitSet, computeEntrySet) as XState
// reads them.
import type { AnyMachineSnapshot } from 'xstate';
import { type Chart, type ChartNode, isInside, type Line } from './chart.ts';

/** What a history state leads back to, by XState's id of it. */
export type Histories = Readonly<Record<string, readonly ChartNode['ref'][]>>;

const noHistories: Histories = {};

export const historiesOf = (snapshot: AnyMachineSnapshot): Histories => snapshot.historyValue as Histories;

const parentsOf = (node: ChartNode, below?: ChartNode): ChartNode[] => {
  const found: ChartNode[] = [];
  if (node === below) return found;
  for (let at = node.parent; at !== undefined && at !== below; at = at.parent) found.push(at);
  return found;
};

/** Where a history state leads when nothing is remembered. */
const defaultsOf = (chart: Chart, history: ChartNode): readonly ChartNode[] => {
  const { target } = history.ref.config as { readonly target?: string | readonly string[] };
  const parent = history.parent as ChartNode;
  if (target === undefined) return parent.initial === undefined ? [parent] : [parent.initial];
  return [target].flat().flatMap((one): ChartNode[] => {
    if (one.startsWith('#')) return [chart.nodeOf(chart.machine.getStateNodeById(one))];
    const found = one.split('.').reduce<ChartNode | undefined>((at, key) => at?.states[key], parent);
    return found === undefined ? [] : [found];
  });
};

const effectiveTargets = (chart: Chart, targets: readonly ChartNode[], histories: Histories): ChartNode[] => [
  ...new Set(
    targets.flatMap((target) => {
      if (target.type !== 'history') return [target];
      const remembered = histories[target.ref.id]?.map(chart.nodeOf);
      return remembered ?? effectiveTargets(chart, defaultsOf(chart, target), histories);
    }),
  ),
];

/**
 * The state inside which a transition happens: all states inside it are left. Undefined when it stays where it is;
 * `everything` when the machine itself is left and entered again.
 */
export const domainOf = (
  chart: Chart,
  { ref, source, targets }: Line,
  histories: Histories = noHistories,
): ChartNode | 'everything' | undefined => {
  if (targets === undefined || targets.length === 0) return undefined;
  const led = effectiveTargets(chart, targets, histories);
  if (!ref.reenter && led.every((target) => target === source || isInside(target, source))) return source;
  const [first, ...others] = [...led, source];
  const common = parentsOf(first as ChartNode).find((outer) => others.every((node) => isInside(node, outer)));
  return common ?? (ref.reenter ? 'everything' : chart.root);
};

const regionsOf = ({ states }: ChartNode): ChartNode[] =>
  Object.values(states).filter(({ type }) => type !== 'history');

/** The states that a transition enters, while they are put together. */
class EntrySet {
  readonly entered = new Set<ChartNode>();
  readonly #chart: Chart;
  readonly #histories: Histories;

  constructor(chart: Chart, histories: Histories) {
    this.#chart = chart;
    this.#histories = histories;
  }

  add(node: ChartNode): void {
    this.entered.add(node);
  }

  /** The initial states, all regions, or what a history state leads back to. */
  addInside(node: ChartNode): void {
    if (node.type === 'history') this.#addRemembered(node);
    else if (node.type === 'parallel') this.#addRegions(node);
    else if (node.initial !== undefined) {
      if (node.initial.type !== 'history') this.add(node.initial);
      this.addInside(node.initial);
    }
  }

  /** States on the way to a target: regions beside it are entered, too. */
  addOuter(outer: readonly ChartNode[], isEntered: (node: ChartNode) => boolean): void {
    for (const node of outer) {
      if (isEntered(node)) this.add(node);
      if (node.type === 'parallel') this.#addRegions(node);
    }
  }

  #addRegions(node: ChartNode): void {
    for (const region of regionsOf(node)) {
      if ([...this.entered].some((one) => isInside(one, region))) continue;
      this.add(region);
      this.addInside(region);
    }
  }

  #addRemembered(history: ChartNode): void {
    const remembered = this.#histories[history.ref.id]?.map(this.#chart.nodeOf);
    const led = remembered ?? defaultsOf(this.#chart, history);
    for (const node of led) {
      this.add(node);
      this.addInside(node);
    }
    for (const node of led) this.addOuter(parentsOf(node, history.parent), () => true);
  }
}

/** The states that transitions taken together enter, in document order. */
export const enteredBy = (
  chart: Chart,
  lines: readonly Line[],
  histories: Histories = noHistories,
): readonly ChartNode[] => {
  const set = new EntrySet(chart, histories);
  for (const line of lines) addEntered(set, chart, line, histories);
  return [...set.entered].sort((one, other) => one.order - other.order);
};

const addEntered = (set: EntrySet, chart: Chart, line: Line, histories: Histories): void => {
  const { ref, source, targets = [] } = line;
  const domain = domainOf(chart, line, histories);
  if (domain === undefined) return;
  for (const target of targets) {
    const isEntered = source !== target || source !== domain || ref.reenter;
    if (isEntered && target.type !== 'history') set.add(target);
    set.addInside(target);
  }
  for (const target of effectiveTargets(chart, targets, histories)) {
    if (domain === 'everything') set.addOuter(parentsOf(target), () => true);
    else {
      const around = domain.type === 'parallel' ? [domain] : [];
      set.addOuter([...parentsOf(target, domain), ...around], (node) => isInside(node, domain));
    }
  }
};

/** Those of the active states that a transition leaves, the innermost first. */
export const leftBy = (
  chart: Chart,
  line: Line,
  active: readonly ChartNode[],
  histories?: Histories,
): ChartNode[] => {
  const domain = domainOf(chart, line, histories);
  if (domain === undefined) return [];
  return active
    .filter((node) => domain === 'everything' || isInside(node, domain))
    .sort((one, other) => other.order - one.order);
};

/** Of transitions that leave the same states the one from further inside goes, otherwise the first. */
export const withoutConflicts = (
  chart: Chart,
  lines: readonly Line[],
  active: readonly ChartNode[],
  histories?: Histories,
): readonly Line[] => {
  if (lines.length < 2) return lines;
  const kept = new Map<Line, ReadonlySet<ChartNode>>();
  for (const line of lines) {
    const left = new Set(leftBy(chart, line, active, histories));
    const rivals = [...kept].filter(([, other]) => [...left].some((node) => other.has(node)));
    if (!rivals.every(([rival]) => isInside(line.source, rival.source))) continue;
    for (const [rival] of rivals) kept.delete(rival);
    kept.set(line, left);
  }
  return [...kept.keys()];
};
