// What the agent does differently on other systems, as far as this one can tell.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { rulesOf } from '../../src/agent/platform.ts';
import { takeQueueLock } from '../../src/agent/queue/queue-owner.ts';
import { tempFolder } from './helpers.ts';

test('each system has its paths, and its way to lock a directory', () => {
  const [linux, mac, windows, freebsd] = (['linux', 'darwin', 'win32', 'freebsd'] as const).map(rulesOf);
  assert.equal(linux?.settingsFile, '/etc/mon/agent.yml');
  assert.equal(mac?.settingsFile, '/etc/mon/agent.yml');
  assert.equal(freebsd?.settingsFile, '/usr/local/etc/mon/agent.yml');
  assert.match(windows?.settingsFile ?? '', /^C:\\ProgramData\\/);
  assert.deepEqual(
    [linux, mac, windows].map((rules) => rules?.statsd),
    ['udp', 'udp', 'tcp'],
  );
  assert.equal(linux?.queueLock('/a').type, 'name');
  assert.match(windows?.queueLock('/a').address ?? '', /^\\\\\.\\pipe\\mon-agent-[0-9a-f]{32}$/);
  assert.deepEqual(mac?.queueLock('/a'), { type: 'file', address: join('/a', 'owner.sock') });
  assert.notEqual(linux?.queueLock('/a').address, linux?.queueLock('/b').address);
});

for (const system of ['linux', 'darwin'] as const)
  test(`a directory locked as on ${system} has one owner, until that is killed`, async (t) => {
    const folder = tempFolder();
    const lock = rulesOf(system).queueLock(folder);
    const owner = fork(new URL('./queue-owner-process.js', import.meta.url), [system, folder]);
    t.after(() => owner.kill('SIGKILL'));
    const exited = new Promise((resolve) => owner.once('exit', resolve));
    await new Promise((resolve) => owner.once('message', resolve));
    await assert.rejects(takeQueueLock(lock), /another mon-agent is using it/);
    owner.kill('SIGKILL');
    await exited;
    const ours = await takeQueueLock(lock);
    await assert.rejects(takeQueueLock(lock), /another mon-agent is using it/);
    ours.close();
  });
