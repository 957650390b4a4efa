// One run of a check, from the request to its event. The statechart decides the next step; this file performs it
// and reports the result to the statechart. Every run produces an event, even if no command ran, unless the agent
// is stopping.
import { createActor, type SnapshotFrom } from 'xstate';
import {
  type ExecutionEffect,
  type ExecutionFact,
  executionMachine,
} from '../machines/execution/execution-machine.ts';
import type { CheckEvent } from '../model/event.ts';
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
import { nowSeconds } from './clock.ts';
import type { RunningCommand } from './executor.ts';
import { type HookResult, hooksFor, runHooks } from './hooks.ts';
import type { RunTools } from './run-tools.ts';

export interface CheckExecution {
  /** Null if the agent stopped the run. Rejects only on an internal error. */
  readonly outcome: Promise<CheckEvent | null>;
  state(): SnapshotFrom<typeof executionMachine>['value'];
  /** Stops the current command. */
  stop(): void;
}

type Fact = ExecutionFact extends infer Each
  ? Each extends ExecutionFact
    ? Omit<Each, 'nowMs'>
    : never
  : never;

export const startExecution = (
  key: string,
  run: RunRequest,
  given: Omit<RunTools, 'started'>,
): CheckExecution => {
  const actor = createActor(executionMachine, { input: { key, issuedSeconds: run.request.issued } });
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

  const isOver = () => actor.getSnapshot().status !== 'active';
  const tell = (fact: Fact) => {
    if (!isOver()) actor.send({ ...fact, nowMs: given.clock.monotonicMs() } as ExecutionFact);
  };
  const tools: RunTools = {
    ...given,
    started: (command) => {
      current = command;
      if (isOver()) command.stop();
    },
  };

  const judge = async () => {
    const substituted = substitute(run, tools);
    if (!substituted.ok) return tell({ type: 'request.refused', why: substituted.message });
    config = substituted.value;
    const allowed = permit(config, tools);
    if (!allowed.ok) return tell({ type: 'request.refused', why: allowed.message });
    permitted = allowed.value;
    if (needsAssets(run)) return tell({ type: 'request.accepted', needsAssets: true });
    const ready = await prepare(permitted, run, tools);
    if (!ready.ok) return tell({ type: 'request.refused', why: ready.message });
    prepared = ready.value;
    tell({ type: 'request.accepted', needsAssets: false });
  };

  const fetchAssets = async () => {
    if (permitted === undefined) throw new Error('assets were asked for before the command was allowed');
    const ready = await prepare(permitted, run, tools);
    if (!ready.ok) return tell({ type: 'assets.failed', why: ready.message });
    prepared = ready.value;
    tell({ type: 'assets.fetched' });
  };

  const runCommand = async () => {
    if (prepared === undefined) throw new Error('a command was to run before it was prepared');
    const executed = nowSeconds(tools.clock);
    const result = await startCommand(prepared, run, tools, executed).result;
    if (result.ending === 'stopped') return tell({ type: 'stop.requested' });
    event = commandEvent(run, config, result, executed, tools);
    tell({ type: 'command.finished', status: event.check.status, hooks: hooksFor(event.check) });
  };

  const runTheHooks = async () => {
    const results = event === undefined ? [] : await runHooks(event, run.request, tools);
    if (results === null) return tell({ type: 'stop.requested' });
    hooks = results;
    tell({ type: 'hooks.finished' });
  };

  const reportResult = async () => {
    const { refusal } = actor.getSnapshot().context;
    if (refusal !== null) report(failureEvent(run, config, refusal, tools.clock));
    else if (event !== undefined) report(finishedEvent(event, config, hooks));
    tell({ type: 'result.reported' });
  };

  const kill = async () => current?.stop();

  const steps: Readonly<Record<ExecutionEffect['type'], () => Promise<void>>> = {
    'assets.fetch': fetchAssets,
    'command.run': runCommand,
    'hooks.run': runTheHooks,
    'result.report': reportResult,
    'command.kill': kill,
  };
  const perform = (step: () => Promise<void>) => {
    step().catch((error) => {
      actor.stop();
      fail(error);
    });
  };
  actor.on('*', ({ type }) => {
    tools.log.debug({ check: key, step: type }, 'check execution');
    perform(steps[type]);
  });
  actor.start();
  perform(judge);

  return {
    outcome,
    state: () => actor.getSnapshot().value,
    stop: () => {
      tell({ type: 'stop.requested' });
      report(null);
    },
  };
};
