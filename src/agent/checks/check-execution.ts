// One run of a check, from the request to its event. The statechart decides the next step; this file performs it
// and reports the result to the statechart. Every run produces an event, even if no command ran, unless the agent
// is stopping.
import type { SnapshotFrom } from 'xstate';
import {
  type ExecutionContext,
  type ExecutionEffect,
  type ExecutionFact,
  executionMachine,
} from '../../machines/execution/execution-machine.ts';
import type { CheckEvent } from '../../model/event/event.ts';
import { nowSeconds } from '../clock.ts';
import { type Behaviour, type LiveActor, mailbox, type Supervision } from '../supervision.ts';
import {
  commandEvent,
  failureEvent,
  finishedEvent,
  needsAssets,
  type Permitted,
  type Prepared,
  permit,
  prepare,
  type RunRequest,
  startCommand,
  substitute,
} from './check-run.ts';
import type { RunningCommand } from './executor.ts';
import { type HookResult, hooksFor, runHooks } from './hooks.ts';
import type { RunTools } from './run-tools.ts';

export interface CheckExecution {
  /** Null if the agent stopped the run. Rejects only on an internal error. */
  readonly outcome: Promise<CheckEvent | null>;
  state(): ExecutionState;
  /** Stops the current command. */
  stop(): void;
}

type ExecutionState = SnapshotFrom<typeof executionMachine>['value'];

type Fact = ExecutionFact extends infer Each
  ? Each extends ExecutionFact
    ? Omit<Each, 'nowMs'>
    : never
  : never;

type Step = (actor: LiveActor) => Promise<void>;

/** `key` is unique among the current runs. */
export const startExecution = (
  key: string,
  run: RunRequest,
  given: Omit<RunTools, 'started'>,
  supervision: Supervision,
): CheckExecution => {
  const actorId = `execution:${key}`;
  let isOver = false;
  let current: RunningCommand | undefined;
  /** Data passed between the steps. */
  let config = run.request.config;
  let permitted: Permitted | undefined;
  let prepared: Prepared | undefined;
  let event: CheckEvent | undefined;
  let hooks: readonly HookResult[] = [];
  let report: (event: CheckEvent | null) => void = () => {};
  let fail: (error: unknown) => void = () => {};
  const outcome = new Promise<CheckEvent | null>((resolve, reject) => {
    report = resolve;
    fail = reject;
  });

  const tell = (actor: LiveActor, fact: Fact) =>
    actor.tell({ ...fact, nowMs: given.clock.monotonicMs() } as ExecutionFact);
  const tools: RunTools = {
    ...given,
    started: (command) => {
      current = command;
      if (isOver) command.stop();
    },
  };

  const judge: Step = async (actor) => {
    const substituted = substitute(run, tools);
    if (!substituted.ok) return tell(actor, { type: 'request.refused', why: substituted.message });
    config = substituted.value;
    const allowed = permit(config, tools);
    if (!allowed.ok) return tell(actor, { type: 'request.refused', why: allowed.message });
    permitted = allowed.value;
    if (needsAssets(run)) return tell(actor, { type: 'request.accepted', needsAssets: true });
    const ready = await prepare(permitted, run, tools);
    if (!ready.ok) return tell(actor, { type: 'request.refused', why: ready.message });
    prepared = ready.value;
    tell(actor, { type: 'request.accepted', needsAssets: false });
  };

  const fetchAssets: Step = async (actor) => {
    if (permitted === undefined) throw new Error('assets were requested before the command was permitted');
    const ready = await prepare(permitted, run, tools);
    if (!ready.ok) return tell(actor, { type: 'assets.failed', why: ready.message });
    prepared = ready.value;
    tell(actor, { type: 'assets.fetched' });
  };

  const runCommand: Step = async (actor) => {
    if (prepared === undefined) throw new Error('the command was to run before it was prepared');
    const executed = nowSeconds(tools.clock);
    const result = await startCommand(prepared, run, tools, executed).result;
    if (result.ending === 'stopped') return tell(actor, { type: 'stop.requested' });
    event = commandEvent(run, config, result, executed, tools);
    tell(actor, { type: 'command.finished', status: event.check.status, hooks: hooksFor(event.check) });
  };

  const runTheHooks: Step = async (actor) => {
    const results = event === undefined ? [] : await runHooks(event, run.request, tools);
    if (results === null) return tell(actor, { type: 'stop.requested' });
    hooks = results;
    tell(actor, { type: 'hooks.finished' });
  };

  const reportResult: Step = async (actor) => {
    const { context } = actor.snapshot() as unknown as { readonly context: ExecutionContext };
    if (context.refusal !== null) report(failureEvent(run, config, context.refusal, tools.clock));
    else if (event !== undefined) report(finishedEvent(event, config, hooks));
    tell(actor, { type: 'result.reported' });
  };

  const kill: Step = async () => current?.stop();

  const steps: Readonly<Record<ExecutionEffect['type'], Step>> = {
    'request.judge': judge,
    'assets.fetch': fetchAssets,
    'command.run': runCommand,
    'hooks.run': runTheHooks,
    'result.report': reportResult,
    'command.kill': kill,
  };
  const behaviour: Behaviour<ExecutionEffect> = {
    machine: executionMachine,
    mailbox,
    begin: () => ({ input: { key, issuedSeconds: run.request.issued } }),
    perform: ({ type }, actor) => {
      tools.log.debug({ check: key, step: type }, 'check execution');
      // In a turn of its own: the message in hand is finished first.
      queueMicrotask(() => {
        steps[type](actor).catch((error: unknown) =>
          actor.beginAgain(error instanceof Error ? error : new Error(String(error))),
        );
      });
    },
    end: (_, reason) => {
      isOver = true;
      if (reason.type !== 'abnormal') return;
      current?.stop();
      fail(reason.error);
    },
  };
  supervision.run({ id: actorId, behaviour });

  return {
    outcome,
    state: () => {
      const snapshot = supervision.snapshot(actorId) as { readonly value: ExecutionState } | undefined;
      return snapshot?.value ?? 'done';
    },
    stop: () => {
      if (isOver) return;
      supervision.tell(actorId, {
        type: 'stop.requested',
        nowMs: given.clock.monotonicMs(),
      } as ExecutionFact);
      report(null);
    },
  };
};
