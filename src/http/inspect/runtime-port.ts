// Implements the inspection port on the actor runtime of this process.
import { catalogueError } from '../../actors/outcomes/outcome-rules.ts';
import type { ActorId, ActorMessage } from '../../actors/runtime/contract.ts';
import { observe } from '../../actors/runtime/inspection/inspection.ts';
import type { Runtime } from '../../actors/runtime/runtime.ts';
import type {
  ActorInfo,
  TreeNode as RuntimeNode,
  SupervisorInfo,
} from '../../actors/runtime/supervision/tree.ts';
import { MonError } from '../../model/errors.ts';
import type { InspectionPort, LiveView, MachineEntry } from './inspection-port.ts';
import { defaultPageSize } from './limits.ts';
import type { ActorRow, JsonValue, TreeNode } from './protocol.ts';

export interface RuntimePortOptions {
  readonly runtime: Runtime;
  readonly machines: readonly MachineEntry[];
  /** Gauges outside the runtime: commits, deliveries, sessions. */
  readonly moreGauges: () => Readonly<Record<string, number>>;
  /** The pipeline trace of the last delivered event of a check. */
  readonly lastTrace: (namespace: string, entity: string, check: string) => Promise<unknown>;
  /** Whether the actor's current record is committed. */
  readonly isCommitted: (id: ActorId) => boolean;
}

/** Timeout of a manually sent message, in milliseconds. */
const askMs = 5_000;
/** Errors caused by a manually sent message, including crashes, are reported to the sender. */
const refuseByHand = (error: Error): never => {
  const known = catalogueError(error);
  throw known.kind === 'internal' ? new MonError('invalid', error.message) : known;
};
const refuse = (error: Error): never => {
  throw catalogueError(error);
};

const supervisorMachine = 'supervisor';

export const createRuntimePort = ({
  runtime,
  machines,
  moreGauges,
  lastTrace,
  isCommitted,
}: RuntimePortOptions): InspectionPort => ({
  machines: () => machines,
  *actors(prefix) {
    for (const info of runtime.actors(prefix)) yield rowOf(info);
  },
  actor(id) {
    const detail = runtime.actor(id);
    if (detail === undefined) return undefined;
    return {
      row: rowOf(detail.info),
      machine: detail.machine,
      snapshot: detail.snapshot,
      committed: isCommitted(id),
      deadlines: detail.deadlines,
      restarts: detail.failures,
      children: [],
    };
  },
  supervisor(id) {
    const [node] = runtime.tree(id, { depth: 1, maxChildren: defaultPageSize });
    return node?.kind === 'supervisor' ? supervisorView(runtime, node) : undefined;
  },
  children(parent, { from, limit, withEmpty }) {
    const listed =
      parent === undefined
        ? runtime.tree(undefined, { depth: 0 }).map(nodeIdOf)
        : runtime.supervisor(parent)?.children();
    if (listed === undefined) return undefined;
    const isEmpty = ({ id, kind }: ChildId): boolean =>
      kind === 'supervisor' && runtime.supervisor(id)?.counts().total === 0;
    const wanted = withEmpty ? listed : listed.filter((child) => !isEmpty(child));
    // Only the requested range is expanded, since a supervisor may have a hundred thousand children.
    const items = wanted.slice(from, from + limit).flatMap((child) => nodeById(runtime, child));
    return { items, total: wanted.length };
  },
  observe: (id, observer) => observe(runtime, id, observer) ?? (() => {}),
  onFact: (listener) => runtime.facts.listen(listener),
  nowMs: () => runtime.clock.wallMs(),
  gauges: () => {
    const { facts: _facts, ...figures } = runtime.stats();
    return { ...figures, ...moreGauges() };
  },
  async traces(namespace, entity, check) {
    const trace = await lastTrace(namespace, entity, check);
    return trace === undefined ? [] : [trace as JsonValue];
  },
  tell: (id, message) => runtime.registry.ask(id, message as ActorMessage, askMs).catch(refuseByHand),
  pause: (id) => runtime.pause(id),
  resume: (id) => runtime.resume(id),
  async restart(id) {
    const supervisor = supervisorOf(runtime, id);
    if (supervisor === undefined) return false;
    await supervisor.restartChild(id).catch(refuse);
    return true;
  },
  async stop(id) {
    const supervisor = supervisorOf(runtime, id);
    if (supervisor === undefined) return false;
    await supervisor.stopChild(id);
    return true;
  },
});

const supervisorView = (runtime: Runtime, node: Extract<RuntimeNode, { kind: 'supervisor' }>): LiveView => {
  const { id, strategy, whenFailing, counts, phase, restarts, generation, parent } = node.supervisor;
  return {
    row: {
      id,
      machine: supervisorMachine,
      value: phase,
      status: phase,
      mailbox: 0,
      handled: 0,
      restarts,
      generation,
      startedAtMs: 0,
      parent: parent ?? null,
    },
    machine: undefined,
    snapshot: { context: { strategy, whenFailing, counts } },
    committed: true,
    deadlines: [],
    restarts: parent === undefined ? [] : (runtime.supervisor(parent)?.failuresOf(id) ?? []),
    children: (node.children ?? []).flatMap(nodeOf),
  };
};

const supervisorOf = (runtime: Runtime, id: ActorId) => {
  const parent = runtime.actor(id)?.info.parent;
  if (parent === undefined) return undefined;
  const supervisor = runtime.supervisor(parent);
  if (supervisor === undefined)
    throw new MonError('unavailable', `the supervisor of ${id} is not running; try again`);
  return supervisor;
};

const rowOf = (info: ActorInfo): ActorRow => ({
  id: info.id,
  machine: info.machine,
  value: (info.value ?? null) as JsonValue,
  status: statusOf(info),
  mailbox: info.mailbox,
  handled: info.handled,
  restarts: info.restarts,
  generation: info.generation,
  startedAtMs: info.startedAtMs ?? 0,
  parent: info.parent,
});

interface ChildId {
  readonly id: ActorId;
  readonly kind: 'actor' | 'supervisor';
}

const nodeIdOf = (node: RuntimeNode): ChildId =>
  node.kind === 'actor'
    ? { id: node.actor.id, kind: 'actor' }
    : { id: node.supervisor.id, kind: 'supervisor' };

/** Empty for a child that ended since it was listed. */
const nodeById = (runtime: Runtime, { id, kind }: ChildId): readonly TreeNode[] => {
  if (kind === 'supervisor') return runtime.tree(id, { depth: 0 }).flatMap(nodeOf);
  const detail = runtime.actor(id);
  return detail === undefined ? [] : [actorNode(detail.info)];
};

const statusOf = ({ state, paused }: ActorInfo): string => (paused && state === 'up' ? 'paused' : state);

const nodeOf = (node: RuntimeNode): TreeNode[] =>
  node.kind === 'actor' ? [actorNode(node.actor)] : [supervisorNode(node.supervisor)];

const actorNode = (info: ActorInfo): TreeNode => ({
  id: info.id,
  kind: 'actor',
  machine: info.machine,
  value: (info.value ?? null) as JsonValue,
  status: statusOf(info),
  children: 0,
  restarts: info.restarts,
  mailbox: info.mailbox,
});

const supervisorNode = (info: SupervisorInfo): TreeNode => ({
  id: info.id,
  kind: 'supervisor',
  machine: supervisorMachine,
  value: info.phase,
  status: info.phase,
  strategy: info.strategy,
  children: info.counts.total,
  restarts: info.restarts,
  mailbox: 0,
});
