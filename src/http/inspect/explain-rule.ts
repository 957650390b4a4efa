// Why an event moves a machine, or why it does not: every transition it could take from here, with what each guard said.
// Pure: guards are questions, they change nothing. XState itself does not tell which guards said no.
import { type AnyMachineSnapshot, type AnyStateMachine, type EventObject, getNextTransitions } from 'xstate';
import { askGuard, type GuardAnswer } from '../../machines/guard-rule.ts';
import { transitionIds } from './machine-graph.ts';
import { nameOfGuard } from './names.ts';
import type { Candidate } from './protocol.ts';

/**
 * The transitions that name `event` and leave an active state, in the order XState asks them: inner states first.
 * `taken` marks those that would happen. A guard that throws is a verdict of its own and never escapes.
 */
export const explain = (
  machine: AnyStateMachine,
  snapshot: AnyMachineSnapshot,
  event: EventObject,
): Candidate[] => {
  const ids = transitionIds(machine);
  const asked = inAskingOrder(getNextTransitions(snapshot), event.type).map((ref) => ({
    ref,
    verdict: askGuard(machine, ref.guard, snapshot, event),
  }));
  const taken = takenOf(snapshot, asked);
  return asked.map(({ ref, verdict }) => ({
    id: ids.get(ref) ?? '',
    guard: ref.guard === undefined ? '' : nameOfGuard(ref.guard),
    verdict: verdict.verdict,
    ...(verdict.why === undefined ? {} : { why: verdict.why }),
    taken: taken.has(ref),
  }));
};

/** As XState asks: state by state, in each the exact event before wildcards, and the longer wildcard first. */
const inAskingOrder = (refs: readonly Ref[], type: string): Ref[] => {
  const states = [...new Set(refs.map((ref) => ref.source))];
  const rank = (ref: Ref): number =>
    ref.eventType === type ? Number.MAX_SAFE_INTEGER : String(ref.eventType).length;
  return states.flatMap((state) =>
    refs
      .filter((ref) => ref.source === state && eventMatches(String(ref.eventType), type))
      .sort((a, b) => rank(b) - rank(a)),
  );
};

/** XState's matching of event types: exact, `*`, and `prefix.*`. */
export const eventMatches = (descriptor: string, type: string): boolean => {
  if (descriptor === type || descriptor === '*') return true;
  return (
    descriptor.endsWith('.*') &&
    (type === descriptor.slice(0, -2) || type.startsWith(descriptor.slice(0, -1)))
  );
};

type Ref = ReturnType<typeof getNextTransitions>[number];
interface Asked {
  readonly ref: Ref;
  readonly verdict: GuardAnswer;
}

/** From each active leaf upwards the first whose guard agrees wins. A guard that throws crashes the actor: nothing is taken. */
const takenOf = (snapshot: AnyMachineSnapshot, asked: readonly Asked[]): Set<Ref> => {
  const active = new Set<unknown>(snapshot._nodes);
  const leaves = snapshot._nodes.filter(
    (node) => !Object.values(node.states).some((child) => active.has(child)),
  );
  const taken = new Set<Ref>();
  for (const leaf of leaves) {
    for (let node: typeof leaf | undefined = leaf; node !== undefined; node = node.parent) {
      const first = asked.find(({ ref, verdict }) => ref.source === node && verdict.verdict !== 'no');
      if (first === undefined) continue;
      if (first.verdict.verdict === 'threw') return new Set();
      taken.add(first.ref);
      break;
    }
  }
  return taken;
};
