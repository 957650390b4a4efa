import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, describe, it } from 'node:test';
import { MonError } from '../../src/model/errors.ts';
import { filterLimits, maxReasonChars, mutatorLimits } from '../../src/pipeline/limits.ts';
import { implicitPipelineName } from '../../src/pipeline/plan.ts';
import type { PipelineDeps } from '../../src/pipeline/ports.ts';
import { runPipelines } from '../../src/pipeline/run.ts';
import { Sandbox } from '../../src/pipeline/sandbox/sandbox.ts';
import type { Trace } from '../../src/pipeline/trace.ts';
import {
  checkEvent,
  depsOf,
  filter,
  handler,
  metricsEvent,
  mutator,
  pipeline,
  reference,
  withHistory,
} from './fixtures.ts';

const filters = new Sandbox(filterLimits);
const mutators = new Sandbox(mutatorLimits);
after(() => Promise.all([filters.close(), mutators.close()]));

type Definitions = Parameters<typeof depsOf>[0];
const deps = (definitions: Definitions, rest: Partial<PipelineDeps> = {}) =>
  depsOf(definitions, { filters, mutators, ...rest });
const pipe = (name: string, command: string, fields: object = {}) =>
  handler(name, { type: 'pipe', command, ...fields });
const outcomes = (trace: Trace) =>
  trace.workflows.map(({ name, outcome, why }) => `${name} ${outcome}: ${why}`);

describe('an event through its pipelines', () => {
  it('keeps the reason of a handler short', async () => {
    const socket = { host: 'a'.repeat(10_000), port: 1 };
    const definitions = { handlers: [handler('far', { type: 'tcp', socket, timeout: 5 })] };
    const trace = await runPipelines(checkEvent({ handlers: ['far'] }), deps(definitions));
    const why = trace.workflows[0]?.handler?.why ?? '';
    assert.match(why, /aaa/);
    assert.ok(why.length <= maxReasonChars, `${why.length} characters`);
  });

  it('leaves a trace of filters, mutator and handler that is plain data', async () => {
    const definitions = {
      handlers: [
        pipe('slack', 'cat', { filters: ['is_incident', 'not_silenced', 'third'], mutator: 'short' }),
      ],
      filters: [
        filter('third', 'allow', ['event.check.occurrences == 3', 'event.entity.labels.region == "eu"']),
      ],
      mutators: [
        mutator('short', {
          type: 'javascript',
          eval: 'return event.check.name + " is " + event.check.status',
        }),
      ],
    };
    const trace = await runPipelines(checkEvent({ handlers: ['slack'] }), deps(definitions));
    assert.deepEqual(JSON.parse(JSON.stringify(trace)), trace);
    const [workflow] = trace.workflows;
    assert.equal(workflow?.pipeline, implicitPipelineName);
    assert.deepEqual(
      workflow?.filters.map(({ name, verdict, why, stopped }) => ({ name, verdict, why, stopped })),
      [
        { name: 'is_incident', verdict: 'allowed', why: 'status is 2', stopped: false },
        { name: 'not_silenced', verdict: 'allowed', why: 'not silenced', stopped: false },
        { name: 'third', verdict: 'allowed', why: 'every expression is true', stopped: false },
      ],
    );
    assert.deepEqual([workflow?.mutator?.name, workflow?.mutator?.bytes], ['short', 8]);
    const { durationMs, ...step } = workflow?.handler ?? { durationMs: -1 };
    assert.ok(durationMs > 0);
    assert.deepEqual(step, {
      name: 'slack',
      type: 'pipe',
      outcome: 'handled',
      why: 'exit status 0',
      status: 0,
      output: 'cpu is 2',
    });
    assert.equal(trace.summary, '1 handled');
    assert.equal(trace.retry, false);
    assert.equal(trace.event.entity, 'web-01');
  });

  it('says that nothing was to be done', async () => {
    assert.equal((await runPipelines(checkEvent(), deps({}))).summary, 'no pipelines defined in resource');
  });

  it('tells which filter dropped it, and does not start the handler', async () => {
    const definitions = {
      handlers: [
        pipe('a', 'exit 9', { filters: ['is_incident'] }),
        pipe('b', 'exit 9', { filters: ['never'] }),
        pipe('c', 'exit 9', { filters: ['gone'] }),
        pipe('d', 'exit 9', { filters: ['throws'] }),
        pipe('e', 'exit 0', { filters: ['throwsDeny'] }),
        pipe('f', 'exit 9', { filters: ['closed'] }),
      ],
      filters: [
        filter('never', 'deny', ['event.check.status == 1', 'event.check.status == 0']),
        filter('throws', 'allow', ['event.check.nothing.here']),
        filter('throwsDeny', 'deny', ['event.check.nothing.here']),
        filter('closed', 'allow', ['true'], {
          when: { days: { all: [{ begin: '1:00 AM', end: '2:00 AM' }] } },
        }),
      ],
    };
    const event = withHistory(0, [0, 0]);
    const trace = await runPipelines(
      { ...event, check: event.check && { ...event.check, handlers: ['a', 'b', 'c', 'd', 'e', 'f'] } },
      deps(definitions),
    );
    assert.deepEqual(outcomes(trace), [
      'a denied: is_incident: neither an incident nor its resolution',
      'b denied: never: expression 1 is true',
      'c failed: gone: filter gone does not exist',
      'd failed: exit status 9',
      'e handled: exit status 0',
      'f denied: closed: outside its time windows (UTC)',
    ]);
    for (const index of [3, 4]) {
      const carriedOn = trace.workflows[index]?.filters[0];
      assert.deepEqual([carriedOn?.verdict, carriedOn?.stopped], ['error', false]);
      assert.match(carriedOn?.why ?? '', /expression 0 threw TypeError: cannot read property 'here'/);
    }
    assert.equal(trace.summary, '3 denied, 2 failed, 1 handled');
  });

  it('takes a user filter for a built-in name never into account', async () => {
    const definitions = {
      handlers: [pipe('a', 'true', { filters: ['not_silenced'] })],
      filters: [filter('not_silenced', 'deny', ['true'])],
    };
    const trace = await runPipelines(checkEvent({ handlers: ['a'] }), deps(definitions));
    assert.deepEqual(outcomes(trace), ['a handled: exit status 0']);
  });

  it('goes on with the next workflow when one fails anywhere', async () => {
    const definitions = {
      handlers: [
        pipe('a', 'true', { mutator: 'gone' }),
        pipe('b', 'exit 1'),
        pipe('c', 'sleep 30', { timeout: 1 }),
        handler('d', { type: 'tcp', socket: { host: '127.0.0.1', port: 1 } }),
        pipe('e', 'true'),
      ],
    };
    const trace = await runPipelines(checkEvent({ handlers: ['a', 'b', 'c', 'd', 'e'] }), deps(definitions));
    assert.deepEqual(outcomes(trace).slice(0, 3), [
      'a failed: mutator "gone" does not exist',
      'b failed: exit status 1',
      'c timedOut: killed with all its processes after 1 s',
    ]);
    assert.match(outcomes(trace)[3] ?? '', /^d failed: tcp 127\.0\.0\.1:1: .*ECONNREFUSED/);
    assert.equal(outcomes(trace)[4], 'e handled: exit status 0');
  });

  it('gives each workflow its own copy: what one mutator changes another does not see', async () => {
    const definitions = {
      handlers: [pipe('one', 'cat'), pipe('two', 'cat')],
      mutators: [
        mutator('change', {
          type: 'javascript',
          eval: 'event.check.output = "changed"; event.added = true;',
        }),
      ],
      pipelines: [
        pipeline('p', [
          { name: 'first', mutator: reference('Mutator', 'change'), handler: reference('Handler', 'one') },
          { name: 'second', handler: reference('Handler', 'two') },
        ]),
      ],
    };
    const event = checkEvent({}, { pipelines: [reference('Pipeline', 'p')] });
    const trace = await runPipelines(event, deps(definitions));
    const seen = trace.workflows.map((workflow) => JSON.parse(workflow.handler?.output ?? '{}'));
    assert.deepEqual(
      seen.map((one) => [one.check.output, one.added]),
      [
        ['changed', true],
        ['CRITICAL: 99 %', undefined],
      ],
    );
  });

  it('runs custom filters and mutators on an event that has only metrics', async () => {
    const definitions = {
      handlers: [pipe('influx', 'cat', { filters: ['has_metrics', 'safe'], mutator: 'count' })],
      filters: [filter('safe', 'allow', ['!event.has_check && event.metrics.points.length == 1'])],
      mutators: [
        mutator('count', { type: 'javascript', eval: 'return String(event.metrics.points.length)' }),
      ],
    };
    const trace = await runPipelines(metricsEvent(), deps(definitions));
    assert.deepEqual(outcomes(trace), ['influx handled: exit status 0']);
    assert.equal(trace.workflows[0]?.handler?.output, '1');
    assert.equal(trace.event.check, null);
  });

  it('evaluates a filter once for all workflows that name it', async () => {
    const counted: string[][] = [];
    const counting = {
      limits: filters.limits,
      validateExpression: filters.validateExpression.bind(filters),
      evaluate: (json: string, nowMs: number, programs: Parameters<typeof filters.evaluate>[2]) => {
        counted.push(programs.map((program) => program.name));
        return filters.evaluate(json, nowMs, programs);
      },
    };
    const definitions = {
      handlers: [
        pipe('a', 'true', { filters: ['is_incident', 'x', 'y'] }),
        pipe('b', 'true', { filters: ['y', 'x'] }),
        pipe('c', 'true', { filters: ['has_metrics', 'z'] }),
      ],
      filters: [
        filter('x', 'allow', ['true']),
        filter('y', 'allow', ['true']),
        filter('z', 'allow', ['true']),
      ],
    };
    await runPipelines(checkEvent({ handlers: ['a', 'b', 'c'] }), deps(definitions, { filters: counting }));
    assert.deepEqual(counted, [['x', 'y']]);
  });
});

describe('runtime assets', () => {
  it('provide scripts to filters and environment to commands; a missing one only affects its users', async () => {
    const loadAssets = async (_: string, names: readonly string[]) => {
      if (names.includes('gone')) throw new Error('asset "gone" does not exist');
      return {
        env: { TOOL: 'from the asset' },
        scripts: async () => ['function odd(n) { return n % 2 === 1 }'],
      };
    };
    const assets = { runtime_assets: ['tools'] };
    const definitions = {
      handlers: [
        pipe('a', 'printf "$TOOL"', { ...assets, filters: ['odd'] }),
        pipe('b', 'true', { filters: ['gone'] }),
        pipe('c', 'true', { runtime_assets: ['gone'] }),
      ],
      filters: [
        filter('odd', 'allow', ['odd(event.check.occurrences)'], assets),
        filter('gone', 'allow', ['true'], { runtime_assets: ['gone'] }),
      ],
    };
    const trace = await runPipelines(
      checkEvent({ handlers: ['a', 'b', 'c'] }),
      deps(definitions, { loadAssets }),
    );
    assert.deepEqual(outcomes(trace), [
      'a handled: exit status 0',
      'b failed: gone: filter gone was not evaluated: asset "gone" does not exist',
      'c failed: could not be started: asset "gone" does not exist',
    ]);
    assert.equal(trace.workflows[0]?.handler?.output, 'from the asset');
    assert.equal(trace.retry, false);
  });
});

describe('secrets of a handler', () => {
  const secretive = pipe('h', 'echo $TOKEN $PLAIN $WEBHOOK_URL', {
    env_vars: ['TOKEN=weak', 'PLAIN=visible-word', 'WEBHOOK_URL=canary-webhook'],
    secrets: [{ name: 'TOKEN', secret: 'tok' }],
  });

  it('reach its command and do not come back in the trace', async () => {
    const command = 'test "$TOKEN" = canary-token || exit 3; echo $TOKEN $PLAIN $WEBHOOK_URL';
    const resolveSecrets = async () => ['TOKEN=canary-token'];
    const definitions = { handlers: [{ ...secretive, command }] };
    const trace = await runPipelines(checkEvent({ handlers: ['h'] }), deps(definitions, { resolveSecrets }));
    assert.equal(trace.workflows[0]?.handler?.output, 'REDACTED visible-word REDACTED\n');
    assert.equal(JSON.stringify(trace).includes('canary'), false);
  });

  it('that cannot be had keep it from running; a provider out of reach is an outage', async () => {
    const failing = (error: Error) => async (): Promise<string[]> => {
      throw error;
    };
    const run = (error: Error) =>
      runPipelines(
        checkEvent({ handlers: ['h'] }),
        deps({ handlers: [secretive] }, { resolveSecrets: failing(error) }),
      );
    const wrong = await run(new Error('secret not found: tok'));
    assert.deepEqual(outcomes(wrong), ['h failed: could not be started: secret not found: tok']);
    assert.equal(wrong.retry, false);
    const outage = await run(new MonError('unavailable', 'secret provider not available: vault'));
    assert.deepEqual([outage.retry, outage.workflows[0]?.retry], [true, true]);
  });
});

describe('the gate before a handler', () => {
  it('refuses, and the workflow is skipped and may be tried again', async () => {
    const gate = { enter: async () => ({ entered: false, why: 'circuit open' }) as const };
    const trace = await runPipelines(
      checkEvent({ handlers: ['h'] }),
      deps({ handlers: [pipe('h', 'true')] }, { gate }),
    );
    assert.deepEqual(outcomes(trace), ['h skipped: circuit open']);
    assert.equal(trace.retry, true);
  });

  it('receives every outcome once', async () => {
    const left: string[] = [];
    const gate = {
      enter: async (namespace: string, name: string) =>
        ({
          entered: true,
          leave: (outcome: string) => left.push(`${namespace}/${name} ${outcome}`),
        }) as const,
    };
    const handlers = [pipe('a', 'true'), pipe('b', 'false'), pipe('c', 'sleep 9', { timeout: 1 })];
    await runPipelines(checkEvent({ handlers: ['a', 'b', 'c'] }), deps({ handlers }, { gate }));
    assert.deepEqual(left, ['default/a handled', 'default/b failed', 'default/c timedOut']);
  });
});

describe('another try', () => {
  it('repeats only the workflows that met an outage', async (test) => {
    const server = createServer((socket) => socket.resume());
    test.after(() => server.close());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    server.close();
    await once(server, 'close');
    let runs = 0;
    const gate = {
      enter: async (_: string, name: string) => {
        if (name === 'a') runs += 1;
        return { entered: true, leave: () => {} } as const;
      },
    };
    const handlers = [pipe('a', 'true'), handler('b', { type: 'tcp', socket: { host: '127.0.0.1', port } })];
    const event = checkEvent({ handlers: ['a', 'b'] });
    const first = await runPipelines(event, deps({ handlers }, { gate }));
    assert.deepEqual([first.retry, first.summary], [true, '1 handled, 1 failed']);
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const second = await runPipelines(event, deps({ handlers }, { gate }), first);
    assert.deepEqual([second.retry, second.summary, runs], [false, '2 handled', 1]);
  });

  it('is worth it when the sandbox is out of reach', async () => {
    const closed = new Sandbox(filterLimits);
    await closed.close();
    const definitions = {
      handlers: [pipe('a', 'true', { filters: ['x'] })],
      filters: [filter('x', 'deny', ['false'])],
    };
    const trace = await runPipelines(checkEvent({ handlers: ['a'] }), deps(definitions, { filters: closed }));
    assert.equal(trace.retry, true);
    assert.match(
      outcomes(trace)[0] ?? '',
      /^a failed: x: filter x was not evaluated: the sandbox .* is closed/,
    );
  });
});
