// What systemd is told: through systemd-notify, and only when it asked to be told.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openServiceManager } from '../../src/program/service-manager.ts';
import { readableLog, tempFolder } from '../agent/helpers.ts';
import { eventually } from '../eventually.ts';

/** A systemd-notify that writes down what it is told, and where. */
const recorder = () => {
  const folder = tempFolder();
  const told = join(folder, 'told');
  writeFileSync(join(folder, 'systemd-notify'), `#!/bin/sh\necho "$NOTIFY_SOCKET $*" >> '${told}'\n`);
  chmodSync(join(folder, 'systemd-notify'), 0o755);
  const lines = () => (existsSync(told) ? readFileSync(told, 'utf8').trim().split('\n') : []);
  return { path: `${folder}:${process.env.PATH}`, lines };
};

test('systemd is told ready, alive and stopping, and checks do not learn where', async () => {
  const { path, lines } = recorder();
  const environment: NodeJS.ProcessEnv = {
    PATH: path,
    NOTIFY_SOCKET: '/run/n',
    WATCHDOG_USEC: '30000',
    WATCHDOG_PID: String(process.pid),
  };
  const manager = openServiceManager(environment, readableLog().log);
  assert.deepEqual(Object.keys(environment), ['PATH']);
  manager.ready();
  await eventually('ready', async () => lines().includes(`/run/n --ready --pid=${process.pid}`));
  // The timer alone keeps nobody running: neither a program that is done nor this test.
  const alive = setInterval(() => {}, 1_000);
  await eventually('alive', async () => lines().includes('/run/n WATCHDOG=1'));
  manager.stopping();
  await eventually('stopping', async () => lines().includes('/run/n STOPPING=1'));
  clearInterval(alive);
});

test('without systemd nothing is started', () => {
  const { path, lines } = recorder();
  const manager = openServiceManager({ PATH: path }, readableLog().log);
  manager.ready();
  manager.stopping();
  assert.deepEqual(lines(), []);
});

test('a system without systemd-notify has a line in the log', async () => {
  const { log, messages } = readableLog();
  openServiceManager({ PATH: tempFolder(), NOTIFY_SOCKET: '/run/n' }, log).ready();
  await eventually('a warning', async () =>
    messages().some((text) => text.includes('systemd-notify is needed')),
  );
});
