// Command execution shared by all callers, on real processes. How callers interpret outcomes is tested with them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CommandRequest, runCommand } from '../../src/execution/run-command.ts';

const start = (command: string, more: Partial<CommandRequest> = {}) =>
  runCommand({ command, timeoutMs: 0, maxOutputBytes: 1_000_000, ...more });
const run = (command: string, more: Partial<CommandRequest> = {}) => start(command, more).result;

/** A shell may remark that a command it was waiting for was terminated. */
const withoutShellWords = (output: Buffer): string => output.toString().replaceAll('Terminated\n', '');

test('a command with a grace may end in order: it is asked first', async () => {
  const script = `trap 'echo goodbye; exit 0' TERM; echo hello; while :; do sleep 0.05; done`;
  const { ending, output } = await run(script, { timeoutMs: 1_500, terminationGraceMs: 60_000 });
  assert.equal(ending.type, 'timedOut');
  assert.equal(withoutShellWords(output), 'hello\ngoodbye\n');
});

test('a command that will not end in its grace is ended', async () => {
  const script = `trap '' TERM; echo hello; while :; do sleep 0.05; done`;
  const { ending, output } = await run(script, { timeoutMs: 1_500, terminationGraceMs: 200 });
  assert.equal(ending.type, 'timedOut');
  assert.equal(output.toString(), 'hello\n');
});

test('the grace is for the whole group: a child that outlives its shell may still finish', async () => {
  const child = `trap 'sleep 0.3; echo child done; exit' TERM; while :; do sleep 0.05; done`;
  const { output } = await run(`sh -c "${child}" & wait`, { timeoutMs: 1_500, terminationGraceMs: 60_000 });
  assert.equal(withoutShellWords(output), 'child done\n');
});

test('stopping a command during its grace period does not wait for it', async () => {
  const running = start(`trap '' TERM; while :; do sleep 0.05; done`, {
    timeoutMs: 1,
    terminationGraceMs: 600_000,
  });
  setTimeout(running.stop, 300);
  assert.equal((await running.result).ending.type, 'timedOut');
});

test('a time limit longer than a timer can wait does not end the command at once', async () => {
  const { ending } = await run('sleep 0.2; exit 5', { timeoutMs: 2 ** 31 });
  assert.deepEqual(ending, { type: 'exited', status: 5 });
});

test('a command gets the variables it is given and no others, or else those of this process', async () => {
  process.env['MON_TEST_VARIABLE'] = 'here';
  const echo = 'echo "$MON_TEST_VARIABLE/$OTHER"';
  assert.equal((await run(echo)).output.toString(), 'here/\n');
  assert.equal((await run(echo, { environment: { OTHER: 'x' } })).output.toString(), '/x\n');
});

test('stopping what has ended, or never began, changes nothing', async () => {
  const ended = start('exit 4');
  await ended.result;
  ended.stop();
  assert.deepEqual((await ended.result).ending, { type: 'exited', status: 4 });
  const never = start('echo \0');
  never.stop();
  assert.equal((await never.result).ending.type, 'notStarted');
});
