// Real commands, real processes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Command, execute } from '../../src/agent/checks/executor.ts';
import { ownEnvironment } from '../../src/agent/checks/own-environment.ts';
import { eventually } from '../eventually.ts';
import { isAlive } from '../is-alive.ts';

const start = (command: string, more: Partial<Command> = {}, limitBytes?: number) =>
  execute({ command, timeoutSeconds: 0, environment: ownEnvironment(), ...more }, limitBytes);
const run = (command: string, more: Partial<Command> = {}, limitBytes?: number) =>
  start(command, more, limitBytes).result;

test('output and exit status of a command are kept as they are', async () => {
  const result = await run('echo hello; exit 3');
  assert.deepEqual([result.output, result.status, result.ending], ['hello\n', 3, 'exited']);
});

test('commands see the environment of the agent, but not what is for the agent alone', () => {
  const given = { PATH: '/bin', MON_PASSWORD: 'secret', MALLOC_MMAP_THRESHOLD_: '20000' };
  assert.deepEqual(ownEnvironment(given), { PATH: '/bin' });
});

test('standard output and standard error keep their order', async () => {
  const result = await run('for i in 1 2 3 4 5; do echo out$i; echo err$i >&2; done');
  assert.equal(result.output, [1, 2, 3, 4, 5].map((i) => `out${i}\nerr${i}\n`).join(''));
});

test('a command that is not found ends with 127 and the message of the shell', async () => {
  const result = await run('no-such-command-here');
  assert.equal(result.status, 127);
  assert.match(result.output, /no-such-command-here.*not found/);
});

test('a command ended by a signal has status 128 + n', async () => {
  const result = await run('kill -TERM $$');
  assert.deepEqual([result.status, result.ending], [143, 'signalled']);
});

test('a command past its timeout is ended with status 2 and says so before what it said', async () => {
  const result = await run('echo started; sleep 30', { timeoutSeconds: 1 });
  assert.equal(result.status, 2);
  assert.equal(result.ending, 'timedOut');
  assert.equal(result.output, 'Execution timed out\nstarted\n');
  assert.ok(result.durationSeconds >= 1 && result.durationSeconds < 20);
});

test('a timeout ends children that ignore SIGTERM, and theirs', async () => {
  const script = `trap '' TERM; sh -c "trap '' TERM; sleep 60 & echo \\$!; wait" & sleep 60 & echo $!; wait`;
  const result = await run(script, { timeoutSeconds: 1 });
  const pids = result.output
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 0);
  assert.equal(pids.length, 2, result.output);
  await eventually('the end of both children', () => !pids.some(isAlive));
});

test('a child left behind that holds the output does not hold the check', async () => {
  const result = await run('sleep 30 & echo $!; exit 1');
  assert.equal(result.status, 1);
  assert.ok(result.durationSeconds < 10);
  process.kill(Number(result.output), 'SIGKILL');
});

test('five megabytes of output arrive whole', async () => {
  const result = await run('yes 0123456789 | head -c 5000000');
  assert.equal(result.output.length, 5_000_000);
  assert.equal(result.status, 0);
});

test('output beyond the limit is counted, not kept', async () => {
  const atLimit = await run('printf 1234567890', {}, 10);
  assert.equal(atLimit.output, '1234567890');
  const beyond = await run('printf 12345678901', {}, 10);
  assert.match(beyond.output, /^1234567890\n\[output truncated: 1 bytes/);
});

test('a command that prints for ever is ended by its timeout and stays within the limit', async () => {
  const result = await run('yes', { timeoutSeconds: 1 }, 1_000);
  assert.equal(result.status, 2);
  assert.ok(result.output.length < 2_000);
});

test('input reaches the command and is closed; without input it reads nothing', async () => {
  assert.equal((await run('cat', { input: '{"a":1}' })).output, '{"a":1}');
  assert.equal((await run('cat; echo done')).output, 'done\n');
});

test('a command that does not read its stdin is not an error', async () => {
  const result = await run('exit 0', { input: 'x'.repeat(2_000_000) });
  assert.equal(result.status, 0);
});

test('quotes and newlines in a command mean what they mean to the shell', async () => {
  assert.equal((await run(`echo "it's" '$HOME'\necho two`)).output, "it's $HOME\ntwo\n");
});

test('a command no process can be made of gives status 3 and the reason', async () => {
  const result = await run('echo \0');
  assert.equal(result.status, 3);
  assert.equal(result.ending, 'notStarted');
  assert.match(result.output, /null bytes/);
});

test('a command stopped by the agent says so', async () => {
  const running = start('sleep 30');
  running.stop();
  assert.equal((await running.result).ending, 'stopped');
});
