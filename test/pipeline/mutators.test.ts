import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { maxMutatorOutputBytes, mutatorLimits } from '../../src/pipeline/limits.ts';
import { type Mutation, mutateEvent } from '../../src/pipeline/mutators.ts';
import type { PipelineDeps } from '../../src/pipeline/ports.ts';
import { Sandbox } from '../../src/pipeline/sandbox/sandbox.ts';
import { serialiseEvent } from '../../src/pipeline/serialise.ts';
import { checkEvent, depsOf, metricsEvent, mutator } from './fixtures.ts';

const sandbox = new Sandbox(mutatorLimits);
after(() => sandbox.close());

const mutate = (
  fields: object,
  rest: Partial<PipelineDeps> = {},
  event = checkEvent(),
): Promise<Mutation> => {
  const deps = depsOf({ mutators: [mutator('m', { ...fields })] }, { mutators: sandbox, ...rest });
  return mutateEvent('m', event, serialiseEvent(event), 'default', deps);
};
const named = (name: string, event = checkEvent()): Promise<Mutation> =>
  mutateEvent(name, event, serialiseEvent(event), 'default', depsOf({}));
const text = (mutation: Mutation): string => {
  assert.equal(mutation.type, 'data', JSON.stringify(mutation));
  return mutation.type === 'data' ? mutation.data.toString() : '';
};
const why = (mutation: Mutation): string => {
  assert.equal(mutation.type, 'failed');
  return mutation.type === 'failed' ? mutation.why : '';
};

describe('built-in mutators', () => {
  it('json hands on the whole event, metadata nested, the entity redacted, no newline at the end', async () => {
    const json = text(await named('json'));
    const event = JSON.parse(json);
    assert.equal(event.check.metadata.name, 'cpu');
    assert.equal(event.entity.metadata.labels.api_key, 'REDACTED');
    assert.equal(json.includes('canary'), false);
    assert.equal(json.endsWith('}'), true);
  });

  it('only_check_output hands on just that, and fails without a check', async () => {
    assert.equal(text(await named('only_check_output')), 'CRITICAL: 99 %');
    assert.match(why(await named('only_check_output', metricsEvent())), /no check/);
  });

  it('a name without a definition is an error', async () => {
    assert.equal(why(await named('nope')), 'mutator "nope" does not exist');
  });
});

describe('pipe mutators', () => {
  it('read the event and write the data, standard error included, verbatim', async () => {
    assert.match(text(await mutate({ command: 'cat' })), /"name":"cpu"/);
    assert.equal(text(await mutate({ command: 'echo one; echo two >&2; echo three' })), 'one\ntwo\nthree\n');
  });

  it('pass on bytes that are not text', async () => {
    const mutation = await mutate({ command: "printf '\\377\\000\\376'" });
    assert.equal(mutation.type === 'data' && Buffer.from(mutation.data).toString('hex'), 'ff00fe');
  });

  it('see a clean environment, their env_vars and secrets, the later the stronger', async () => {
    const resolveSecrets = async () => ['A=secret'];
    const command = 'echo $HOME/$BACKEND_WORD$MON_BACKEND_STORE_URL/$A/$B';
    const fields = { command, env_vars: ['A=plain', 'B=b'], secrets: [{ name: 'A', secret: 's' }] };
    assert.equal(text(await mutate(fields, { resolveSecrets })), '/home/mon//secret/b\n');
  });

  it('fail with their status, their timeout or too much output', async () => {
    assert.equal(
      why(await mutate({ command: 'echo broken; exit 3' })),
      'pipe mutator execution returned non-zero exit status 3: broken',
    );
    assert.match(why(await mutate({ command: 'sleep 30', timeout: 1 })), /timed out after 1 s/);
    const most = { command: `head -c ${maxMutatorOutputBytes} /dev/zero` };
    const more = { command: `head -c ${maxMutatorOutputBytes + 1} /dev/zero` };
    assert.equal((await mutate(most)).type, 'data');
    assert.match(why(await mutate(more)), /more than 4194304 bytes/);
  });

  it('are not run when a secret cannot be had', async () => {
    const resolveSecrets = async () => {
      throw new Error('secret not found: s');
    };
    const fields = { command: 'true', secrets: [{ name: 'A', secret: 's' }] };
    assert.deepEqual(await mutate(fields, { resolveSecrets }), {
      type: 'failed',
      why: 'secret not found: s',
      retry: false,
    });
  });
});

describe('javascript mutators', () => {
  const script = (body: string, fields: object = {}) => mutate({ type: 'javascript', eval: body, ...fields });

  it('return a string, which is used as it is', async () => {
    assert.equal(text(await script('return "just this"')), 'just this');
    assert.equal(text(await script('return event.check.metadata.name + "/" + event.check.name')), 'cpu/cpu');
  });

  it('return nothing, and the event they changed is handed on', async () => {
    const changed = JSON.parse(
      text(await script('event.check.labels = { a: "b" }; event.check.status = 1;')),
    );
    assert.deepEqual([changed.check.metadata.labels, changed.check.status], [{ a: 'b' }, 1]);
    assert.equal('labels' in changed.check, false);
    assert.equal(JSON.parse(text(await script('if (true) return null'))).check.status, 2);
  });

  it('work on a copy made the way people make it', async () => {
    const body =
      'var data = JSON.parse(JSON.stringify(event)); data.extra = data.check.metadata.name; return JSON.stringify(data)';
    assert.equal(JSON.parse(text(await script(body))).extra, 'cpu');
  });

  it('see env_vars as strings, a bare name taking the value of the backend', async () => {
    const body = 'return [ONE, BACKEND_WORD, typeof process].join("|")';
    assert.equal(
      text(await script(body, { env_vars: ['ONE=1', 'BACKEND_WORD'] })),
      '1|from the backend|undefined',
    );
  });

  it('see no setting of the backend', async () => {
    const env_vars = ['MON_BACKEND_STORE_URL'];
    assert.equal(text(await script('return "[" + MON_BACKEND_STORE_URL + "]"', { env_vars })), '[]');
  });

  it('see the redacted entity', async () => {
    assert.equal(text(await script('return event.entity.labels.api_key')), 'REDACTED');
  });

  it('get along with an event without a check', async () => {
    const mutation = await mutate(
      { type: 'javascript', eval: 'return String(event.check)' },
      {},
      metricsEvent(),
    );
    assert.equal(text(mutation), 'undefined');
  });

  it('fail when they return anything else, throw, or take too long', async () => {
    const want = (type: string) => `bad mutator result: got "${type}", want string or undefined`;
    assert.equal(why(await script('return { a: 1 }')), want('Object'));
    assert.equal(why(await script('return 5')), want('Number'));
    assert.equal(why(await script('return [1]')), want('Array'));
    assert.match(why(await script('nope()')), /mutator threw ReferenceError/);
    assert.match(why(await script('return (')), /syntax error/);
    assert.equal(
      why(await script('while (true) {}', { timeout: 1 })),
      'mutator timeout reached, execution halted after 1000 ms',
    );
  });

  it('change nothing of the event they were given', async () => {
    const event = checkEvent();
    const before = structuredClone(event);
    await mutate({ type: 'javascript', eval: 'event.check.status = 0; event.entity = null' }, {}, event);
    assert.deepEqual(event, before);
  });
});
