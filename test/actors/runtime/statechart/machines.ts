// Random machines that write down what they do: every transition, entry and exit notes its own name in the context, so the
// log tells which ran and in which order, whoever runs them.
import {
  type AnyEventObject,
  type AnyStateMachine,
  and,
  assign,
  createMachine,
  emit,
  enqueueActions,
  not,
  or,
  stateIn,
} from 'xstate';
import { fc } from '../../../property.ts';

export interface Log {
  readonly log: readonly string[];
}

/** The shape of one state: what kind it is and what is inside. */
interface Shape {
  readonly type: 'atomic' | 'compound' | 'parallel' | 'final' | 'shallow' | 'deep';
  readonly states: readonly Shape[];
  readonly tag: boolean;
}

interface LineShape {
  readonly event: string;
  /** Positions in the list of all states; none stays. */
  readonly targets: readonly number[];
  readonly reenter: boolean;
  readonly guard: unknown;
  readonly extra: readonly string[];
}

const plainLeaves = ['atomic', 'atomic', 'atomic'] as const;

const leaf = fc.record({
  type: fc.constantFrom<Shape['type']>(...plainLeaves, ...plainLeaves, 'final', 'shallow', 'deep'),
  states: fc.constant<readonly Shape[]>([]),
  tag: fc.boolean(),
});

const branch = (inner: fc.Arbitrary<Shape>): fc.Arbitrary<Shape> =>
  fc.record({
    type: fc.constantFrom<Shape['type']>('compound', 'compound', 'parallel'),
    // The first is a plain state, so that there is something to begin with.
    states: fc
      .tuple(
        fc.record({ type: fc.constant<Shape['type']>('atomic'), states: fc.constant([]), tag: fc.boolean() }),
        fc.array(inner, { minLength: 1, maxLength: 2 }),
      )
      .map(([first, rest]) => [first, ...rest]),
    tag: fc.boolean(),
  });

const tree = branch(
  fc.oneof(
    { weight: 1, arbitrary: leaf },
    { weight: 1, arbitrary: branch(leaf) },
    { weight: 1, arbitrary: branch(branch(leaf)) },
  ),
);

const named = fc.constantFrom('isOdd', 'isShort', 'isNever', 'isAlias');
const guards = fc.letrec<{ guard: unknown }>((tie) => ({
  guard: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    named,
    fc.nat(30).map((n) => ({ type: 'isLongerThan', params: { n } })),
    fc.nat(8).map((n) => stateIn(`#s${n}`)),
    fc.array(tie('guard'), { minLength: 1, maxLength: 2 }).map((parts) => and(parts as never)),
    fc.array(tie('guard'), { minLength: 1, maxLength: 2 }).map((parts) => or(parts as never)),
    tie('guard').map((part) => not(part as never)),
  ),
})).guard;

const lineOf = (events: readonly string[]): fc.Arbitrary<LineShape> =>
  fc.record({
    event: fc.constantFrom(...events),
    targets: fc.oneof(
      { weight: 1, arbitrary: fc.constant([]) },
      { weight: 5, arbitrary: fc.nat(40).map((n) => [n]) },
      { weight: 2, arbitrary: fc.tuple(fc.nat(40), fc.nat(40)) },
    ),
    reenter: fc.boolean(),
    guard: fc.option(guards, { nil: undefined, freq: 1 }),
    // `both` is nothing for the plan.
    extra: fc.oneof(
      { weight: 8, arbitrary: fc.subarray(['ring', 'tell', 'reset'], { maxLength: 1 }) },
      { weight: 1, arbitrary: fc.constant(['both']) },
    ),
  });

const written = ['a', 'a', 'a', 'b', 'b', 'b', 'c.one', 'c.*', '*'];
/** Some that a machine knows, and some that it does not. */
const sent = ['a', 'a', 'a', 'b', 'b', 'b', 'c.one', 'c', 'unknown'];

interface Plain {
  id: string;
  type?: string;
  history?: string;
  initial?: string;
  tags?: string[];
  entry?: unknown[];
  exit?: unknown[];
  on?: Record<string, unknown[]>;
  always?: unknown[];
  onDone?: unknown;
  states?: Record<string, Plain>;
}

interface Place {
  readonly config: Plain;
  readonly parents: readonly Plain[];
}

const noting = (name: string) =>
  assign(({ context }: { context: Log }) => ({ log: [...context.log, name] })) as unknown;

const isActive = ({ type }: Plain): boolean => type !== 'history';

const configOf = (shape: Shape, parents: readonly Plain[], places: Place[]): Plain => {
  const { type, states, tag } = shape;
  const id = `s${places.length}`;
  const config: Plain = { id };
  places.push({ config, parents });
  if (type === 'shallow' || type === 'deep') return Object.assign(config, { type: 'history', history: type });
  config.entry = [`in ${id}`];
  config.exit = [`out ${id}`];
  if (tag) config.tags = [id];
  if (type === 'final') config.type = 'final';
  if (states.length > 0) {
    config.states = {};
    for (const [index, inner] of states.entries())
      config.states[`k${index}`] = configOf(inner, [config, ...parents], places);
    if (type === 'parallel') config.type = 'parallel';
    else config.initial = 'k0';
  }
  return config;
};

/** Two targets make sense only in two regions of one parallel state. */
const mayBeTogether = ([one, other]: readonly Place[]): boolean => {
  if (one === undefined || other === undefined) return true;
  const paths = [one, other].map(({ config, parents }) => [config, ...parents].reverse());
  const [first = [], second = []] = paths;
  const at = first.findIndex((config, index) => config !== second[index]);
  return at > 0 && second[at] !== undefined && first[at - 1]?.type === 'parallel';
};

const addLine = (place: Place, line: LineShape, places: readonly Place[], name: string): void => {
  const { config } = place;
  const chosen = line.targets.map((n) => places[n % places.length]).filter((one) => one !== undefined);
  // The root is left and entered by none: that would be another machine.
  const targets = chosen.filter(({ parents }) => parents.length > 0);
  const fits = mayBeTogether(targets) ? targets : targets.slice(0, 1);
  // They come to rest: the log grows with each, and from some length on none is taken. A `*` answers XState's own
  // `xstate.done.*`, too, which a final state raises.
  const leadsOn = line.event === '' || line.event === '*';
  const guard = leadsOn
    ? and((line.guard === undefined ? ['isShort'] : ['isShort', line.guard]) as never)
    : line.guard;
  const made = {
    ...(fits.length === 0 ? {} : { target: fits.map((one) => `#${one.config.id}`), reenter: line.reenter }),
    ...(guard === undefined ? {} : { guard }),
    actions: [name, ...line.extra],
  };
  if (line.event === '') config.always = [...(config.always ?? []), made];
  else {
    config.on ??= {};
    config.on[line.event] = [...(config.on[line.event] ?? []), made];
  }
};

/** Every name a machine of `places` may write, as the action that writes it. */
const namesOf = (places: readonly Place[], lines: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    [...places.flatMap(({ config: { id } }) => [`in ${id}`, `out ${id}`]), ...lines].map((name) => [
      name,
      noting(name),
    ]),
  );

interface Blueprint {
  readonly shape: Shape;
  readonly lines: readonly (readonly [number, LineShape])[];
  readonly always: readonly (readonly [number, LineShape])[];
  readonly onDone: readonly (readonly [number, LineShape])[];
}

const build = ({ shape, lines, always, onDone }: Blueprint): AnyStateMachine => {
  const places: Place[] = [];
  const root = configOf(shape, [], places);
  const active = places.filter(({ config }) => isActive(config) && config.type !== 'final');
  const names: string[] = [];
  const put = ([at, line]: readonly [number, LineShape]): void => {
    const place = active[at % active.length];
    if (place === undefined) return;
    const name = `line ${names.length}`;
    names.push(name);
    addLine(place, line, places, name);
  };
  for (const one of [...lines, ...always]) put(one);
  for (const [at, { targets }] of onDone) {
    const parents = active.filter(({ config }) => config.states !== undefined);
    const place = parents[at % parents.length];
    const target = places[(targets[0] ?? 1) % places.length];
    if (place !== undefined && target !== undefined && target.parents.length > 0)
      place.config.onDone = { target: `#${target.config.id}`, guard: 'isShort' };
  }
  const bodies = {
    actions: {
      ...namesOf(places, names),
      ring: emit({ type: 'rung' }),
      tell: emit(({ context }: { context: Log }) => ({ type: 'told', at: context.log.length })),
      reset: assign({ last: ({ event }: { event: AnyEventObject }) => event.type }),
      both: enqueueActions(({ enqueue }) => {
        enqueue.emit({ type: 'rung' });
      }),
    },
    guards: {
      isOdd: ({ event }: { event: AnyEventObject }) => event['n'] % 2 === 1,
      // A message allows for some; XState's own, which have no number, for none.
      isShort: ({ context, event }: { context: Log; event: AnyEventObject }) =>
        context.log.length < event['n'] * 8,
      isNever: () => false,
      isAlias: 'isOdd',
      isLongerThan: ({ context }: { context: Log }, { n }: { n: number }) => context.log.length > n,
    },
  };
  // `stateIn` of a state that is not there throws: as many as are asked for exist.
  for (let n = places.length; n <= 8; n += 1) {
    const outer = root.states as Record<string, Plain>;
    outer[`extra${n}`] = { id: `s${n}` };
  }
  const config = { ...root, id: 's0', context: { log: [] }, options: { maxIterations: 200 } };
  const machine = createMachine(config as never, bodies as never);
  // A counterexample is printed as its definition.
  return Object.assign(machine, { [fc.toStringMethod]: () => JSON.stringify(config, guardsAsText) });
};

const guardsAsText = (_key: string, value: unknown): unknown =>
  typeof value === 'function' ? { [value.name]: { guards: undefined, ...value, check: undefined } } : value;

const placed = (line: fc.Arbitrary<LineShape>) => fc.tuple(fc.nat(40), line);

export const machines: fc.Arbitrary<AnyStateMachine> = fc
  .record({
    shape: tree,
    lines: fc.array(placed(lineOf(written)), { minLength: 8, maxLength: 20 }),
    always: fc.array(placed(lineOf([''])), { maxLength: 4 }),
    onDone: fc.array(placed(lineOf(['a'])), { maxLength: 1 }),
  })
  .map(build);

export const messages = fc.array(fc.record({ type: fc.constantFrom(...sent), n: fc.nat(9) }), {
  minLength: 1,
  maxLength: 10,
});
