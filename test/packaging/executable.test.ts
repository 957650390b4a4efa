// An executable, built and run without Node. Takes half a minute and 250 MB of downloads, so only where
// MON_TEST_REQUIRE names `executable`.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempFolder } from '../agent/helpers.ts';
import { eventually } from '../eventually.ts';
import { freePort } from '../free-port.ts';
import { isRequired } from '../requirements.ts';

test('an agent of one file tells its version, and takes an event', {
  skip: isRequired('executable') ? false : 'MON_TEST_REQUIRE does not name executable',
}, async () => {
  const out = tempFolder();
  execFileSync(process.execPath, ['packaging/build.js', '--compress=none', `--out=${out}`, 'mon-agent']);
  const file = join(out, `linux-${process.arch}`, 'mon-agent');
  const run = { env: {}, encoding: 'utf8', cwd: out } as const;
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  assert.equal(execFileSync(file, ['version'], run), `mon-agent version ${version}\n`);
  const port = await freePort();
  const flags = [
    '--cache-dir',
    join(out, 'cache'),
    '--api-port',
    String(port),
    '--backend-url',
    'ws://127.0.0.1:9',
  ];
  const agent = spawn(file, ['start', ...flags, '--disable-sockets', '--statsd-disable'], {
    ...run,
    stdio: 'ignore',
  });
  try {
    const body = JSON.stringify({ check: { metadata: { name: 'c' }, status: 0, output: 'x' } });
    const post = () =>
      fetch(`http://127.0.0.1:${port}/events`, { method: 'POST', body }).catch(() => undefined);
    assert.equal((await eventually('an answer', post)).status, 202);
  } finally {
    agent.kill();
  }
});
