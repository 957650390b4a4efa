import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CheckExecution, startExecution } from '../../src/agent/checks/check-execution.ts';
import type { RunRequest } from '../../src/agent/checks/check-run.ts';
import type { CommandResult, RunningCommand } from '../../src/agent/checks/executor.ts';
import type { RunTools } from '../../src/agent/checks/run-tools.ts';
import { allowEverything } from '../../src/agent/checks/stages.ts';
import type { Supervision } from '../../src/agent/supervision.ts';
import type { Installation } from '../../src/assets/asset-store.ts';
import { entitySchema } from '../../src/model/entity/entity.ts';
import { no, type Stage, yes } from '../../src/program/stage.ts';
import { checkRequestSchema } from '../../src/wire/messages.ts';
import { fakeClock } from './fake-clock.ts';
import { readableLog, requestOf, supervisionOf } from './helpers.ts';

const asset = { metadata: { name: 'a' }, url: 'http://127.0.0.1/a', sha512: 'a'.repeat(128) };
const hook = { metadata: { name: 'h', namespace: 'default' }, command: 'hook', timeout: 5 };

const everything = {
  config: { check_hooks: [{ 'non-zero': ['h'] }] },
  request: { assets: [asset], hooks: [hook] },
};

interface Scene {
  readonly execution: CheckExecution;
  readonly supervision: Supervision;
  readonly tools: Omit<RunTools, 'started'>;
  /** Commands that run, the oldest first. */
  readonly commands: { readonly command: string; end(status: number): void; stopped: boolean }[];
  installed(ok: boolean): void;
  /** Lets everything that is due happen. */
  settle(): Promise<void>;
}

const scene = (asked: { config?: object; request?: object } = everything, more: object = {}): Scene => {
  const commands: Scene['commands'] = [];
  let installed: Scene['installed'] = () => {};
  const execute = ({ command }: { command: string }): RunningCommand => {
    let done: (result: CommandResult) => void = () => {};
    const result = new Promise<CommandResult>((resolve) => {
      done = resolve;
    });
    const running = {
      command,
      stopped: false,
      end: (status: number) => done({ ending: 'exited', status, output: 'out', durationSeconds: 1 }),
    };
    commands.push(running);
    const stop = () => {
      running.stopped = true;
      done({ ending: 'stopped', status: 3, output: '', durationSeconds: 0 });
    };
    return { result, stop };
  };
  const tools = {
    clock: fakeClock(),
    log: readableLog().log,
    execute,
    environment: {},
    stages: {
      substitute: <T extends object>(definition: T) => yes(definition),
      allowList: allowEverything,
      assets: {
        install: () =>
          new Promise<Stage<Installation>>((resolve) => {
            installed = (ok) => resolve(ok ? yes({ folders: [], variables: {} }) : no('no such host'));
          }),
      },
      ...more,
    },
  };
  const run: RunRequest = {
    request: checkRequestSchema.parse(requestOf('command', asked.config, asked.request)),
    entity: entitySchema.parse({ metadata: { name: 'web-01', namespace: 'default' }, entity_class: 'agent' }),
    agentName: 'web-01',
    namespace: 'default',
    id: '6a1f6f0e-8c0f-4f77-9d3d-0e1a2b3c4d5e',
    sequence: 1,
  };
  const supervision = supervisionOf(tools.log, tools.clock);
  const execution = startExecution('cpu', run, tools as Omit<RunTools, 'started'>, supervision);
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return { execution, supervision, tools, commands, installed: (ok) => installed(ok), settle };
};

test('a run goes through the states of its statechart, and each can be seen', async () => {
  const { execution, commands, installed, settle } = scene();
  const states = [execution.state()];
  await settle();
  states.push(execution.state());
  installed(true);
  await settle();
  states.push(execution.state());
  commands[0]?.end(2);
  await settle();
  states.push(execution.state());
  commands[1]?.end(0);
  const event = await execution.outcome;
  states.push(execution.state());
  assert.deepEqual(states, ['queued', 'fetchingAssets', 'running', 'runningHooks', 'done']);
  assert.deepEqual([event?.check.status, event?.check.hooks?.length], [2, 1]);
});

test('without assets and hooks it runs at once and reports', async () => {
  const { execution, commands, settle } = scene({});
  await settle();
  assert.equal(execution.state(), 'running');
  commands[0]?.end(0);
  assert.equal((await execution.outcome)?.check.output, 'out');
  assert.equal(execution.state(), 'done');
});

test('whatever stands in the way before the command becomes the result', async () => {
  const failing = scene();
  await failing.settle();
  failing.installed(false);
  assert.equal(
    (await failing.execution.outcome)?.check.output,
    'error getting assets for check: no such host',
  );
  const unknown = scene({}, { substitute: () => no('no value for .labels.disk') });
  assert.equal(
    (await unknown.execution.outcome)?.check.output,
    'error while substituting check tokens: no value for .labels.disk',
  );
  const denied = scene({}, { allowList: { ...allowEverything, permit: () => no('not allowed') } });
  const event = await denied.execution.outcome;
  assert.deepEqual([event?.check.output, event?.check.status, denied.commands.length], ['not allowed', 3, 0]);
});

test('a run that is stopped says nothing, wherever it is, and leaves no command behind', async () => {
  const steps: readonly ((at: Scene) => void)[] = [
    () => {},
    ({ installed }) => installed(true),
    ({ commands }) => commands[0]?.end(2),
  ];
  for (let reached = 0; reached <= steps.length - 1; reached += 1) {
    const at = scene();
    await at.settle();
    for (const step of steps.slice(0, reached + 1)) {
      step(at);
      await at.settle();
    }
    at.execution.stop();
    assert.equal(await at.execution.outcome, null);
    assert.equal(at.execution.state(), 'done');
    // What was under way comes to its end without being heard.
    at.installed(true);
    await at.settle();
    assert.equal(at.commands.length, reached);
    assert.equal(at.commands.at(-1)?.stopped ?? true, true);
  }
});

test('a fault of ours is not swallowed', async () => {
  const broken = {
    substitute: () => {
      throw new Error('boom');
    },
  };
  await assert.rejects(scene({}, broken).execution.outcome, { message: 'boom' });
});

test('a run whose actor crashes fails, and its command is stopped', async () => {
  const { commands, execution, settle, supervision } = scene({});
  await settle();
  assert.equal(execution.state(), 'running');
  const crashing = {
    type: 'command.finished',
    get status(): number {
      throw new Error('boom');
    },
    get hooks(): string[] {
      throw new Error('boom');
    },
  };
  supervision.tell('execution:cpu', crashing);
  await assert.rejects(execution.outcome, /boom/);
  assert.equal(commands[0]?.stopped, true);
  assert.equal(supervision.actor('execution:cpu'), undefined);
});
