// What mon-ctl shows while things happen, over a real backend with a real agent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAgent } from '../acceptance/programs.ts';
import { eventually } from '../eventually.ts';
import { openProcess, startCtl } from './harness.ts';
import { runHere } from './in-process.ts';

test('execute --wait, watch, trace, history, actors, a dry run of a silence and top', async (t) => {
  const { dir, agents, folder } = await openProcess(t);
  const env = { MON_CONFIG_DIR: dir };
  const say = (...words: string[]) => runHere(words, env);
  const agent = startAgent({ agents }, folder, ['--name', 'web01', '--subscriptions', 'linux']);
  t.after(() => agent.kill());
  await agent.line('connected');
  await say('handler', 'create', 'out', '--command', 'echo was told', '--filters', 'is_incident');
  await say(
    'check',
    'create',
    'disk',
    '-c',
    'echo full; exit 2',
    '-i',
    '3600',
    '-s',
    'linux',
    '--handlers',
    'out',
  );
  await say('check', 'create', 'fine', '-c', 'echo well', '-i', '3600', '-s', 'linux', '--publish=false');

  const watch = startCtl(['event', 'list', '--watch', '--field-selector', 'event.check.name == disk'], env);
  t.after(() => watch.end());
  await watch.until(/─\n/);
  const failing = await say('check', 'execute', 'disk', '--wait');
  assert.equal(failing.code, 1, failing.text);
  assert.match(failing.text, / Entity +Status +Duration +Output\n[^\n]*\n web01 +2 +\d+ s +full\n$/);
  const passing = await say('check', 'execute', 'fine', '--wait');
  assert.equal(passing.code, 0, passing.text);
  assert.match(passing.text, /web01 +0 +\d+ s +well\n$/);
  const nobody = await say('check', 'execute', 'fine', '--wait', '-s', 'windows');
  assert.match(nobody.text, /Error: no agent has one of the subscriptions windows: nobody would run it/);
  await watch.until(/ web01 +disk +full +2 /);
  await say('event', 'delete', 'web01', 'disk', '--skip-confirm');
  await watch.until(/ web01 +disk +gone/);
  assert.doesNotMatch(watch.output(), /well/);
  assert.equal(await watch.end(), 0);

  await say('check', 'execute', 'disk', '--wait');
  const trace = await eventually('the trace of the second event', async () => {
    const said = await say('event', 'trace', 'web01', 'disk');
    return said.text.includes('was told') && said;
  });
  assert.match(trace.text, /=== web01 - disk\n[\s\S]*Summary: +1 handled\n/);
  assert.match(trace.text, /filter +is_incident +allowed +status is 2/);
  assert.match(
    trace.text,
    /handler \(pipe\) +out +handled, exit 0 +exit status 0[^\n]*\noutput of the handler:\n {2}was told\n$/,
  );
  assert.match(
    (await say('event', 'trace', 'web01', 'none')).text,
    /no event of this check was delivered yet/,
  );
  assert.match(
    (await say('event', 'history', 'web01', 'disk')).text,
    /UTC +2 +critical\nfailing; occurrences 1, at most 1;/,
  );

  const covered = await say('silenced', 'create', '-c', 'disk', '--dry-run');
  assert.match(covered.text, / web01 +disk[\s\S]*\ncovers 1 event on 1 entity now; nothing was written\n$/);
  assert.match(
    (await say('silenced', 'create', '-s', 'windows', '--dry-run')).text,
    /covers 0 events on 0 entities now/,
  );
  assert.doesNotMatch((await say('silenced', 'list')).text, /disk/);

  const selected = ['--name', 'disks', '--selector', "event.check.name == 'disk'"];
  const weekly = ['--weekly', 'daily 00:00-24:00 UTC', '--until', '2040-01-02T15:04:00Z'];
  const made = await say('silenced', 'create', ...selected, ...weekly, '-r', 'disks are replaced');
  assert.equal(made.text, 'Created\n');
  assert.match(
    (await say('silenced', 'list')).text,
    / disks +event\.check\.name == 'disk' +daily 00:00-24:00 UTC /,
  );
  assert.match((await say('event', 'info', 'web01', 'disk')).text, /Silenced By: +disks\n/);
  assert.match(
    (await say('silenced', 'create', '--name', 'no', '--selector', "event.check.name == 'none'", '-r', 'x'))
      .text,
    /Warning: silence no covers no event that there is now\nCreated/,
  );
  assert.match(
    (await say('silenced', 'create', '--name', 'bad', '--selector', "event.check.nam == 'x'", '-r', 'x'))
      .text,
    /selector: events have no field event\.check\.nam, did you mean event\.check\.name\?/,
  );
  assert.match((await say('silenced', 'extend', '1h', 'disks')).text, /Extended disks/);
  assert.match((await say('silenced', 'info', 'disks')).text, /Expiration: +2040-01-02T16:04:00Z/);
  assert.match(
    (await say('silenced', 'delete', 'disks', 'no', '--skip-confirm')).text,
    /Deleted disks\nDeleted no/,
  );
  assert.match((await say('silenced', 'status')).text, / disks +ended +0 +0 +[^\n]* deleted by admin\n/);

  const all = ['--field-selector', "event.check.name == 'disk'", '--skip-confirm'];
  const acknowledged = await say('job', 'start', 'acknowledge', ...all, '--comment', 'disks ordered');
  assert.match(
    acknowledged.text,
    /^job \S+: acknowledge 1 events; to stop it: mon-ctl job cancel [^\n]*\n1 of 1 done\n$/,
  );
  assert.match((await say('event', 'info', 'web01', 'disk')).text, /Comment: +disks ordered\n/);
  const resolving = await say('event', 'resolve', '--all', ...all, '--detach');
  assert.equal((await say('job', 'cancel', resolving.text.trim())).text, 'Canceled\n');
  assert.match(
    (await say('job', 'info', resolving.text.trim())).text,
    /State: +canceled by admin[\s\S]*0 of 1 done/,
  );
  assert.match((await say('job', 'list')).text, / resolve +canceled +0\/1 [\s\S]* acknowledge +done +1\/1 /);
  await say('user', 'create', 'vera', '--password', 'vera-has-a-password');
  await say('role-binding', 'create', 'vera', '--cluster-role', 'view', '--user', 'vera');
  const key =
    /\S+\s*$/
      .exec((await say('api-key', 'grant', 'vera')).text)?.[0]
      .trim()
      .split('/')
      .at(-1) ?? '';
  const hers = await say('job', 'start', 'acknowledge', ...all, '--api-key', key);
  assert.match(
    hers.text,
    /web01\/disk: vera may not update events web01\/disk in default\n0 of 1 done, 1 failed/,
  );
  assert.equal(hers.code, 1);

  const id = 'check:default/web01/disk';
  const actors = startCtl(['actor', 'watch', id], env);
  t.after(() => actors.end());
  await actors.until(/─\n/);
  assert.match(
    (await say('actor', 'list', '--search', 'web01/disk')).text,
    /check:default\/web01\/disk +check +result\.failing/,
  );
  assert.match((await say('actor', 'info', id)).text, /State: +result\.failing[\s\S]*Context: +\{/);
  assert.match(
    (await say('actor', 'info', 'check:default/none/none')).text,
    /no actor "check:default\/none\/none" runs/,
  );
  assert.match(
    (await say('actor', 'tree', '--depth', '2')).text,
    /^backend {2}\d+ children\n {2}boot:backend {2}serving/,
  );
  assert.match(
    (await say('actor', 'dry-run', id, 'check.deleted')).text,
    /^=== check:default\/web01\/disk: check\.deleted\nFrom: +result\.failing/,
  );
  // The rest of the event is filled in: here a result that is the opposite of the last one.
  assert.match(
    (await say('actor', 'dry-run', id, 'result.received')).text,
    /\nTo: +result\.passing[\s\S]*isPassing +yes +taken/,
  );
  await say('check', 'execute', 'disk', '--wait');
  await actors.until(/check:default\/web01\/disk +result\.received +result\.failing/);
  assert.match((await say('actor', 'history', id)).text, /result\.received/);

  const top = await say('top', '--once');
  assert.match(
    top.text,
    /^mon-ctl top - http[\s\S]*commits [\s\S]*Noisiest Checks[\s\S]* disk +1 [\s\S]*Slowest Handlers[\s\S]*Fullest Mailboxes/,
  );
});
