// One actor runtime: the parts that all its actors share, made once and handed around.

import type { Cell } from './cell/cell.ts';
import type { ActorId, LifecycleFact, SupervisorSpec } from './contract.ts';
import { createFacts, createFaults, type RuntimeLog, safeLog } from './inspection/facts.ts';
import { createRunQueue } from './load/run-queue.ts';
import { createRegistry } from './registry.ts';
import { checkSpec } from './supervision/spec-check.ts';
import { Supervisor, type SupervisorOptions, type SupervisorServices } from './supervision/supervisor.ts';
import {
  type ActorDetail,
  type ActorInfo,
  actorDetail,
  actorInfo,
  rootsOf,
  type TreeNode,
  type TreeOptions,
  treeBelow,
} from './supervision/tree.ts';
import { type Clock, realClock } from './time/clock.ts';
import { createDeadlines } from './time/deadlines.ts';

export interface RuntimeOptions {
  readonly clock?: Clock;
  /** In [0, 1). Default Math.random. */
  readonly random?: () => number;
  readonly log?: RuntimeLog;
}

/** Figures that anybody may read at any time. */
interface RuntimeFigures {
  readonly actors: number;
  readonly supervisors: number;
  readonly messages: number;
  readonly queueDepth: number;
  readonly deadLetters: number;
  readonly faults: number;
  readonly deadlines: number;
  readonly lagMs: number;
  readonly forgivenMs: number;
  /** How often the wall clock was set. */
  readonly wallSteps: number;
  /** Over the last 512 turns, as is the depth of mailboxes. */
  readonly turnP99Ms: number;
  readonly mailboxDepthP99: number;
  /** Failures after which a restart was scheduled, at once or once a minute. */
  readonly restarts: number;
}

interface RuntimeStats extends RuntimeFigures {
  /** Since the last call. */
  readonly longestTurnMs: number;
  readonly facts: Readonly<Record<LifecycleFact['type'], number>>;
}

export interface Runtime extends SupervisorServices {
  supervisor(id: ActorId): Supervisor | undefined;
  /** Actors whose id begins with the prefix, in order of start; lazy, the caller may stop early. */
  actors(prefix?: string): Iterable<ActorInfo>;
  actor(id: ActorId): ActorDetail | undefined;
  /** The tree below a supervisor; without an id, below every root. Empty when there is no such supervisor. */
  tree(id?: ActorId, options?: TreeOptions): readonly TreeNode[];
  /** Lets the mail of an actor wait, or go on. False when there is no such actor. */
  pause(id: ActorId): boolean;
  resume(id: ActorId): boolean;
  figures(): RuntimeFigures;
  /** Figures for one watcher; `longestTurnMs` is since the last call. */
  stats(): RuntimeStats;
  /** Lets go of the timer. Stop the supervisors first. */
  close(): void;
}

const silent: RuntimeLog = { info() {}, warn() {}, error() {} };

export function createRuntime({
  clock = realClock,
  random = Math.random,
  log: givenLog = silent,
}: RuntimeOptions = {}): Runtime {
  const log = safeLog(givenLog);
  const faults = createFaults(log);
  const facts = createFacts(clock, faults);
  const deadlines = createDeadlines({ clock, onFault: (error) => faults.report('a deadline', error) });
  deadlines.onPause((pauseMs) =>
    log.warn({ pauseMs }, `this process was held up for ${Math.round(pauseMs)} ms`),
  );
  deadlines.onWallStep((stepMs) =>
    log.warn({ stepMs }, `the wall clock was set by ${Math.round(stepMs)} ms`),
  );
  const queue = createRunQueue({ clock, onFault: (error) => faults.report('the run queue', error) });
  const registry = createRegistry<Cell>({ deadlines, queue, facts, faults });
  const supervisors = new Map<ActorId, Supervisor>();
  const parts: SupervisorServices = {
    clock,
    random,
    log,
    faults,
    facts,
    deadlines,
    queue,
    registry,
    supervisors,
  };
  return {
    ...parts,
    supervisor: (id) => supervisors.get(id),
    actors: (prefix = '') => actorRows(parts, prefix),
    actor(id) {
      const cell = registry.cell(id);
      return cell === undefined ? undefined : actorDetail(cell, parts);
    },
    tree(id, options) {
      const from = id === undefined ? rootsOf(parts) : [supervisors.get(id)];
      return from.flatMap((supervisor) =>
        supervisor === undefined ? [] : [treeBelow(supervisor, parts, options)],
      );
    },
    pause(id) {
      const cell = registry.cell(id);
      cell?.pause();
      return cell !== undefined;
    },
    resume(id) {
      const cell = registry.cell(id);
      cell?.resume();
      return cell !== undefined;
    },
    figures: () => figuresOf(parts),
    stats: () => ({
      ...figuresOf(parts),
      longestTurnMs: queue.takeLongestTurnMs(),
      facts: facts.counts(),
    }),
    close: () => deadlines.close(),
  };
}

const figuresOf = (parts: SupervisorServices): RuntimeFigures => {
  const { registry, supervisors, queue, deadlines, faults, facts } = parts;
  const counts = facts.counts();
  return {
    actors: registry.size,
    supervisors: supervisors.size,
    messages: queue.handled,
    queueDepth: queue.depth,
    deadLetters: registry.deadLetters,
    faults: faults.count,
    deadlines: deadlines.size,
    lagMs: deadlines.lagMs,
    forgivenMs: deadlines.forgivenMs,
    wallSteps: deadlines.wallSteps,
    turnP99Ms: queue.turnP99Ms,
    mailboxDepthP99: queue.mailboxDepthP99,
    restarts: counts.restarting + counts.quarantined,
  };
};

function* actorRows(parts: SupervisorServices, prefix: string): Iterable<ActorInfo> {
  for (const cell of parts.registry.cells()) if (cell.id.startsWith(prefix)) yield actorInfo(cell, parts);
}

/** A supervisor without a parent, started. Its children of the spec start in order; `ready()` tells when they are up. */
export function createSupervisor(
  parts: SupervisorServices,
  spec: SupervisorSpec,
  options: Pick<SupervisorOptions, 'onExit'> = {},
): Supervisor {
  checkSpec(spec);
  if (parts.supervisors.has(spec.id)) throw new TypeError(`supervisor ${spec.id} exists already`);
  const supervisor = new Supervisor(parts, spec, options);
  supervisor.begin();
  return supervisor;
}
