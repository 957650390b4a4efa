// Checks a client is asked for: from the request to the result.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCommandSlots } from '../../src/client/command-slots.ts';
import { execute } from '../../src/client/executor.ts';
import { pickHook } from '../../src/client/hooks.ts';
import type { Json } from '../../src/model/earlier/json.ts';
import { eventually } from './helpers.ts';
import { resultOf, start } from './whole-client.ts';

describe('checks', () => {
  test('a request is run and its result published', async () => {
    const made = await start({ signature: 'S1' });
    const request = { command: 'echo hi; echo err >&2; exit 2', name: 'rr', issued: 5, foo: { a: 1 } };
    made.broker.request('roundrobin:web', request);
    const { client, check, signature } = await resultOf(made);
    assert.deepEqual([client, signature], ['c1', 'S1']);
    assert.deepEqual(check, {
      ...request,
      executed: 1_800_000_000,
      duration: 0,
      output: 'hi\nerr\n',
      status: 2,
    });
  });

  test('tokens are filled in, and the command is published as it was asked for', async () => {
    const made = await start({ port: 81, secret: 'x', list: ['a', 'b'] });
    made.broker.request('web', {
      name: 'a',
      command: 'echo :::port::: :::nix|dflt::: :::secret:::',
      note: ':::list::: :::name.zip::: [:::gone|:::]',
    });
    const { check } = await resultOf(made);
    assert.equal(check['output'], '81 dflt x\n');
    assert.equal(check['command'], 'echo :::port::: :::nix|dflt::: :::secret:::');
    assert.equal(check['note'], '["a", "b"] c1 []');
  });

  test('unmatched tokens prevent a check from running', async () => {
    const made = await start();
    made.broker.request('web', { name: 'a', command: 'echo :::a::: :::b.c::: :::a:::' });
    const { check } = await resultOf(made);
    assert.equal(check['output'], 'Unmatched client token(s): a, b.c');
    assert.deepEqual([check['status'], check['handle']], [3, false]);
    // The result of a later request is the next one: the first was not run after all.
    made.broker.request('web', { name: 'b', command: 'echo b' });
    assert.equal((await resultOf(made, 1)).check['name'], 'b');
  });

  test('a definition on this machine wins over the request, unless the request is for proxies', async () => {
    const made = await start({}, { local: { command: 'echo mine', subscribers: ['web'], interval: 60 } });
    made.broker.request('web', { name: 'local', command: 'echo theirs', issued: 1 });
    const first = await resultOf(made);
    assert.equal(first.check['output'], 'mine\n');
    assert.deepEqual([first.check['interval'], first.check['issued']], [60, 1]);
    made.broker.request('web', { name: 'local', command: 'echo theirs', proxy_requests: {}, issued: 1 });
    assert.equal((await resultOf(made, 1)).check['output'], 'theirs\n');
  });

  test('safe mode runs only what is defined on this machine', async () => {
    const made = await start({ safe_mode: true }, { local: { command: 'echo mine' } });
    made.broker.request('web', { name: 'foreign', command: 'touch /nowhere' });
    const { check } = await resultOf(made);
    assert.equal(check['output'], 'Check is not locally defined (safe mode)');
    assert.deepEqual([check['status'], check['handle'], check['executed']], [3, false, 1_800_000_000]);
    made.broker.request('web', { name: 'local', command: 'touch /nowhere' });
    assert.equal((await resultOf(made, 1)).check['output'], 'mine\n');
  });

  test('one check runs once at a time; the same name for another source is another check', async () => {
    const made = await start();
    made.broker.request('web', { name: 'slow', command: 'sleep 0.2' });
    made.broker.request('web', { name: 'slow', command: 'sleep 0.2' });
    made.broker.request('web', { name: 'slow', command: 'true', source: 'sw-1' });
    assert.equal(made.log.told('previous check command execution in progress').length, 1);
    await resultOf(made, 1);
    assert.deepEqual(
      made.broker.results().map(({ check }) => (check as { source?: string }).source),
      ['sw-1', undefined],
    );
  });

  test('a request without a command is logged; nothing is published', async () => {
    const made = await start();
    made.broker.request('web', { name: 'x', extension: 'system_profile' });
    await eventually(() => made.log.told('unknown check extension').length === 1);
    assert.deepEqual(made.broker.results(), []);
  });

  test('a check may read the client and itself from its standard input', async () => {
    const made = await start({ custom: 7 });
    made.broker.request('web', { name: 'x', command: 'cat', stdin: true });
    const { check } = await resultOf(made);
    const read = JSON.parse(String(check['output']));
    assert.equal(read.client.custom, 7);
    assert.equal(read.check.name, 'x');
  });

  test('an empty source is left out', async () => {
    const made = await start();
    made.broker.request('web', { name: 'x', command: 'true', source: '' });
    assert.equal('source' in (await resultOf(made)).check, false);
  });
});

describe('hooks', () => {
  test('one is picked: by status, by severity, then non-zero', () => {
    const hooks = { 2: {}, critical: {}, 'non-zero': {}, unknown: {}, ok: {} };
    assert.deepEqual(
      [2, 1, 3, 77, 0].map((status) => pickHook(hooks, status)),
      ['2', 'non-zero', 'unknown', 'unknown', 'ok'],
    );
    assert.equal(pickHook({ critical: {} }, 2), 'critical');
    assert.equal(pickHook({ warning: {} }, 2), undefined);
    assert.equal(pickHook(undefined, 2), undefined);
  });

  test('its result lies beside its definition; the local definition stays as it was', async () => {
    const hooks = { 'non-zero': { command: 'echo hooked :::name:::' } };
    const made = await start({}, { h: { command: 'exit 1', hooks } });
    for (const at of [0, 1]) {
      made.broker.request('web', { name: 'h' });
      const { check } = await resultOf(made, at);
      assert.deepEqual(check['hooks'], {
        'non-zero': {
          command: 'echo hooked :::name:::',
          executed: 1_800_000_000,
          duration: 0,
          output: 'hooked c1\n',
          status: 0,
        },
      });
    }
  });

  test('an unmatched token becomes the result of the hook', async () => {
    const made = await start();
    made.broker.request('web', { name: 'h', command: 'exit 1', hooks: { 1: { command: 'echo :::x:::' } } });
    const { check } = await resultOf(made);
    assert.equal(check['status'], 1);
    const hook = (check['hooks'] as { 1: Json })[1];
    assert.deepEqual([hook['output'], hook['status']], ['Unmatched client token(s): x', 3]);
  });
});

describe('commands', () => {
  const run = (command: string, timeoutSeconds?: number) =>
    execute({ command, timeoutSeconds, input: undefined }).result;

  test('a command that takes too long is ended, and what it said is forgotten', async () => {
    assert.deepEqual(await run('echo before; sleep 60', 0.1), { status: 2, output: 'Execution timed out' });
  });

  test('a missing command is the shell’s 127, a signal its number', async () => {
    assert.equal((await run('/nowhere/at/all')).status, 127);
    assert.deepEqual(await run('kill -9 $$'), { status: 9, output: '' });
    assert.deepEqual(await run('kill -TERM $$'), { status: 15, output: '' });
  });

  test('what cannot be started is a result, too', async () => {
    const { status, output } = await run('echo \0');
    assert.equal(status, 3);
    assert.match(output, /^Unexpected error: /);
  });

  test('a child left behind does not hold the result', async () => {
    assert.deepEqual(await run('sleep 60 & echo $! > /dev/null; echo done'), { status: 0, output: 'done\n' });
  });

  test('the number of concurrent commands is limited', async () => {
    const slots = createCommandSlots(1);
    const command = (text: string) => ({ command: text, timeoutSeconds: undefined, input: undefined });
    const order: string[] = [];
    const first = slots.run(command('sleep 0.1'))?.then(() => order.push('first'));
    const second = slots.run(command('true'))?.then(() => order.push('second'));
    await Promise.all([first, second]);
    assert.deepEqual(order, ['first', 'second']);
    slots.killAll();
  });
});
