// A real process, stopped with SIGSTOP and woken again: its own absence is not held against those it waits for.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

const urlOf = (file: string): string => new URL(`../../../src/actors/runtime/${file}`, import.meta.url).href;

const program = `
  import { realClock } from '${urlOf('time/clock.js')}';
  import { createDeadlines } from '${urlOf('time/deadlines.js')}';
  const deadlines = createDeadlines({ clock: realClock, onFault: (error) => console.log('fault', error) });
  const atMs = Date.now() + 1500;
  deadlines.at(atMs, () => console.log('strict'));
  deadlines.at(atMs, () => console.log('forgiving', deadlines.forgivenMs > 1000), { forgiving: true });
  deadlines.onPause(() => console.log('pause'));
  console.log('armed');
`;

test('a process that slept past its deadlines gives the forgiving ones the time back', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  try {
    await once(child.stdout, 'data');
    child.kill('SIGSTOP');
    await sleep(4_000);
    child.kill('SIGCONT');
    await once(child, 'close');
  } finally {
    child.kill('SIGKILL');
  }
  assert.deepEqual(output.trim().split('\n'), ['armed', 'pause', 'strict', 'forgiving true']);
});
