// The supervision tree of an agent, on the same runtime as the backend's:
//
//   agent (one_for_one)
//   |- connection   the connection to a backend
//   |- queue        the events on their way to the backend
//   `- executions   one actor per check run; a failed run is reported, not repeated
//
// An actor that crashes is logged and restarted. After more than three restarts in a minute the agent exits, and the
// service manager restarts it.
import type { ActorMessage, ChildSpec, LiveActor, Receipt } from '../actors/runtime/contract.ts';
import { logFact } from '../actors/runtime/inspection/fact-log.ts';
import { createRuntime, createSupervisor } from '../actors/runtime/runtime.ts';
import type { ActorDetail, ActorInfo } from '../actors/runtime/supervision/tree.ts';
import type { Logger } from '../program/log.ts';
import type { Clock } from './clock.ts';
import { maxActorMail } from './limits.ts';

export type { Behaviour, LiveActor } from '../actors/runtime/contract.ts';

/** Mail of an actor of the agent. What is refused above the capacity, its sender deals with. */
export const mailbox = { capacity: maxActorMail, overflow: 'refuse' } as const;

export interface Supervision {
  /** Starts a permanent part of the agent. */
  start(spec: Omit<ChildSpec, 'restart'>): void;
  /** Starts the run of a check. Throws if a run with this id exists. */
  run(spec: Omit<ChildSpec, 'restart'>): void;
  tell(id: string, message: ActorMessage, receipt?: Receipt): void;
  /** Undefined while the actor has no life. */
  snapshot(id: string): ReturnType<LiveActor['snapshot']> | undefined;
  /** All actors, in the order of their start. */
  actors(): readonly ActorInfo[];
  /** One actor with its snapshot, deadlines and last failures. */
  actor(id: string): ActorDetail | undefined;
  stop(): Promise<void>;
}

export interface SupervisionOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly random?: () => number;
  /** Called when the tree has given up. Default: throws outside of the current call. */
  readonly failed?: (error: Error) => void;
}

const throwLater = (error: Error): void => {
  setImmediate(() => {
    throw error;
  });
};

/**
 * The first turn runs at once: each message comes from a socket, a timer or a process, which has a turn of the event loop
 * already. Only what is left after a full turn waits for the next one.
 */
const turnsAtOnce = (): ((task: () => void) => void) => {
  let isTurning = false;
  return (task) => {
    if (isTurning) {
      setImmediate(task);
      return;
    }
    isTurning = true;
    try {
      task();
    } finally {
      isTurning = false;
    }
  };
};

export const createSupervision = ({
  clock,
  log,
  random = Math.random,
  failed = throwLater,
}: SupervisionOptions): Supervision => {
  const runtime = createRuntime({
    clock: {
      wallMs: clock.wallMs,
      monotonicMs: clock.monotonicMs,
      setTimer: (task, delayMs) => clock.after(delayMs, task),
      yieldTurn: turnsAtOnce(),
    },
    random,
    log,
  });
  runtime.facts.listen((fact) => logFact(log, fact));
  const root = createSupervisor(
    runtime,
    { id: 'agent', strategy: 'one_for_one' },
    { onExit: (reason) => failed(reason.type === 'abnormal' ? reason.error : new Error('the agent ended')) },
  );
  const executions = root.startSupervisor({ id: 'executions', strategy: 'one_for_one' });
  if (!executions.started) throw new Error('the agent is stopping');
  const { supervisor } = executions;

  return {
    start: (spec) => {
      const result = root.startChild({ ...spec, restart: 'transient' });
      if (!result.started) throw new Error(`${spec.id} was not started: ${result.why}`);
    },
    run: (spec) => {
      const result = supervisor.startChild({ ...spec, restart: 'temporary' });
      if (!result.started) throw new Error(`${spec.id} was not started: ${result.why}`);
    },
    tell: runtime.registry.tell,
    snapshot: runtime.registry.peek,
    actors: () => [...runtime.actors()],
    actor: runtime.actor,
    stop: async () => {
      await root.stop();
      runtime.close();
    },
  };
};
