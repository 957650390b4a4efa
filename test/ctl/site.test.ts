// What is called after the machine, and so can't be recorded.
import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { test } from 'node:test';
import { openProcess, runCtl } from './harness.ts';

test('the health of the cluster and its members are tables', async (t) => {
  const { dir, url } = await openProcess(t);
  const ask = async (...words: string[]): Promise<string> =>
    (await runCtl(words, { env: { MON_CONFIG_DIR: dir } })).out;
  const health = await ask('cluster', 'health');
  assert.match(
    health,
    /^=== Cluster ID: \d+\n ID +Name +Error +Healthy\n ─+ +─+ +─+ +─+\n [0-9a-f]+ +\S+ +true\n$/,
  );
  assert.ok(health.includes(` ${hostname()} `));
  const members = await ask('cluster', 'member-list');
  assert.match(members, /^ ID +Name +Peer URLs +Client URLs\n ─+ +─+ +─+ +─+\n \d+ +\S+ +http\S+\n$/);
  assert.ok(members.includes(url));
  assert.equal(JSON.parse(await ask('cluster', 'health', '--format', 'json')).ClusterHealth[0].Healthy, true);
});

test('a backend that serves alone says so, and has no shards to hand over', async (t) => {
  const { dir } = await openProcess(t);
  const ask = (...words: string[]) => runCtl(words, { env: { MON_CONFIG_DIR: dir } });
  assert.match((await ask('cluster', 'status')).out, /^This backend is no member of a cluster/);
  assert.equal(JSON.parse((await ask('cluster', 'status', '--format', 'json')).out).cluster, false);
  const drain = await ask('cluster', 'drain', 'b2', '--skip-confirm');
  assert.notEqual(drain.code, 0);
  assert.match(drain.err, /this backend is no member of a cluster/);
});
