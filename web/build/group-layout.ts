// Lays one group of states out: by ELK where lines run between them, side by side or stacked where none do. Groups that
// no line enters or leaves are laid out first and by themselves, each in the direction that suits it.
import { createRequire } from 'node:module';
import type { ELK, ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import type { GraphState, MachineGraph } from '../../src/http/inspect/protocol.ts';
import { readElk } from './elk-result.ts';
import { type LabelForm, lineLabel, stateLabel } from './labels.ts';
import { type LaidGroup, type Place, pack, scaleIn, shift } from './laid-group.ts';
import { dotId, isClosed, isInside, isInward, type Line, linesOf, stubId } from './lines.ts';

const load = createRequire(import.meta.url);
const Elk = load('elkjs/lib/elk.bundled.js') as new () => ELK;
const elk = new Elk();

const dotSize = 9;
const sidePadding = 16;

const spacing = {
  'elk.algorithm': 'layered',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.layered.spacing.nodeNodeBetweenLayers': '26',
  'elk.spacing.nodeNode': '24',
  'elk.spacing.edgeEdge': '12',
  'elk.spacing.edgeNode': '14',
  'elk.spacing.edgeLabel': '4',
  'elk.layered.spacing.edgeNodeBetweenLayers': '14',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '11',
};
const inOrder = { 'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES' };
/** Tried in turn; ELK throws on some, and which one is best only the result tells. */
const manners: readonly Readonly<Record<string, string>>[] = [
  { ...inOrder, 'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER' },
  { ...inOrder, 'elk.layered.cycleBreaking.strategy': 'GREEDY' },
];
const directions = ['RIGHT', 'DOWN'] as const;

interface World {
  readonly graph: MachineGraph;
  readonly lines: readonly Line[];
  readonly form: LabelForm;
}

/** The whole machine, as large as it can be drawn in `place`. */
export const layoutMachine = (graph: MachineGraph, form: LabelForm, place: Place): Promise<LaidGroup> => {
  const root = graph.states.find((state) => state.parent === null);
  if (root === undefined) throw new Error(`${graph.id} has no root state`);
  return layoutGroup({ graph, lines: linesOf(graph), form }, root, place);
};

const childrenOf = ({ graph }: World, state: GraphState): GraphState[] =>
  graph.states.filter((child) => child.parent === state.id);

const layoutGroup = async (world: World, group: GraphState, place: Place): Promise<LaidGroup> => {
  const children = childrenOf(world, group);
  const label = stateLabel(world.graph, group, world.form);
  if (children.length === 0) return alone(group.id, label);
  const inner = await layoutClosed(world, group, place);
  const isLoose = group.type === 'parallel' && children.every((child) => inner.has(child.id));
  const head = label.height + 8;
  const laid = isLoose
    ? pack(
        children.flatMap((child) => inner.get(child.id) ?? []),
        place,
      )
    : await layoutLinked(world, group, inner, { width: place.width, height: place.height - head });
  const width = Math.max(label.width, laid.width + 2 * sidePadding);
  const height = laid.height + head + sidePadding;
  const moved = shift(laid, (width - laid.width) / 2, head);
  return {
    width,
    height,
    boxes: new Map([...moved.boxes, [group.id, [0, 0, width, height]]]),
    lines: moved.lines,
  };
};

const alone = (id: string, { width, height }: Place): LaidGroup => ({
  width,
  height,
  boxes: new Map([[id, [0, 0, width, height]]]),
  lines: new Map(),
});

/** Every child without open lines, laid out by itself; regions of a parallel state share its place. */
const layoutClosed = async (
  world: World,
  group: GraphState,
  place: Place,
): Promise<Map<string, LaidGroup>> => {
  const children = childrenOf(world, group);
  const share = group.type === 'parallel' ? children.length : 1;
  const found = new Map<string, LaidGroup>();
  for (const child of children) {
    const isGroup = childrenOf(world, child).length > 0;
    if (group.type !== 'parallel' && (!isGroup || !isClosed(child.id, world.lines))) continue;
    if (!isClosed(child.id, world.lines) || world.lines.some((line) => touches(line, child.id))) continue;
    found.set(child.id, await layoutGroup(world, child, { ...place, height: place.height / share }));
  }
  if (group.type === 'parallel') return found;
  for (const child of children) {
    if (found.has(child.id) || childrenOf(world, child).length === 0 || !isClosed(child.id, world.lines))
      continue;
    found.set(
      child.id,
      await layoutGroup(world, child, { width: place.width / 2, height: place.height / 2 }),
    );
  }
  return found;
};

/** A line that begins or ends at the state itself, not inside it. */
const touches = (line: Line, state: string): boolean =>
  (line.source === state && !isInward(line)) || line.target === state;

/** The inside of a group whose states are joined by lines; rejects when no manner gives a whole drawing. */
const layoutLinked = async (
  world: World,
  group: GraphState,
  inner: ReadonlyMap<string, LaidGroup>,
  place: Place,
): Promise<LaidGroup> => {
  let best: LaidGroup | undefined;
  let failure: unknown;
  for (const direction of directions) {
    for (const manner of manners) {
      try {
        const laid = await runElk(world, group, inner, { ...spacing, ...manner, 'elk.direction': direction });
        if (best === undefined || scaleIn(place, laid) > scaleIn(place, best)) best = laid;
      } catch (error) {
        failure = error;
      }
    }
  }
  if (best === undefined) throw new Error(`${group.id} cannot be laid out`, { cause: failure });
  return best;
};

const runElk = async (
  world: World,
  group: GraphState,
  inner: ReadonlyMap<string, LaidGroup>,
  options: Readonly<Record<string, string>>,
): Promise<LaidGroup> => {
  const covered = (state: string): boolean => [...inner.keys()].some((id) => isInside(state, id));
  const own = world.lines.filter(
    (line) =>
      isInside(line.target, group.id) &&
      !covered(line.target) &&
      (isInward(line) || isInside(line.source, group.id)),
  );
  const opened: string[] = [];
  const nodeOf = (state: GraphState): ElkNode => {
    const done = inner.get(state.id);
    if (done !== undefined) return { id: state.id, width: done.width, height: done.height };
    const label = stateLabel(world.graph, state, world.form);
    const children = childrenOf(world, state);
    if (children.length === 0) return { id: state.id, width: label.width, height: label.height };
    opened.push(state.id);
    return {
      id: state.id,
      children: insideOf(state),
      layoutOptions: {
        ...spacing,
        'elk.direction': options['elk.direction'] ?? 'RIGHT',
        'elk.padding': `[top=${label.height + 12},left=${sidePadding},bottom=${sidePadding},right=${sidePadding}]`,
        'elk.nodeSize.constraints': 'MINIMUM_SIZE',
        'elk.nodeSize.minimum': `(${label.width},${label.height})`,
      },
    };
  };
  const dotsOf = (state: GraphState): ElkNode[] =>
    state.initial === null ? [] : [{ id: dotId(state.id), width: dotSize, height: dotSize }];
  const stubsOf = (state: GraphState): ElkNode[] =>
    own
      .filter((line) => isInward(line) && parentOf(world, line.target) === state.id)
      .map((line) => ({ id: stubId(line), width: dotSize, height: dotSize }));
  const insideOf = (state: GraphState): ElkNode[] => [
    ...dotsOf(state),
    ...stubsOf(state),
    ...childrenOf(world, state).map(nodeOf),
  ];
  const children = insideOf(group);
  const dots = world.graph.states
    .filter((state) => state.id === group.id || opened.includes(state.id))
    .flatMap((state): ElkExtendedEdge[] =>
      state.initial === null
        ? []
        : [{ id: dotId(state.id), sources: [dotId(state.id)], targets: [state.initial] }],
    );
  const laid = await elk.layout({
    id: '|root',
    children,
    edges: [...dots, ...own.map((line) => elkEdge(line, world.form))],
    layoutOptions: {
      ...options,
      'elk.padding': '[top=0,left=0,bottom=0,right=0]',
      'elk.hierarchyHandling': opened.length > 0 ? 'INCLUDE_CHILDREN' : 'INHERIT',
      'elk.json.edgeCoords': 'ROOT',
      'elk.json.shapeCoords': 'ROOT',
    },
  });
  return readElk(laid, inner);
};

const parentOf = ({ graph }: World, id: string): string | null =>
  graph.states.find((state) => state.id === id)?.parent ?? null;

const elkEdge = (line: Line, form: LabelForm): ElkExtendedEdge => {
  const { width, height } = lineLabel(line.transitions, form);
  return {
    id: line.key,
    sources: [isInward(line) ? stubId(line) : line.source],
    targets: [line.target],
    labels: [
      { id: `${line.key}|label`, text: '-', width, height, layoutOptions: { 'edgeLabels.inline': 'true' } },
    ],
  };
};
