// The page in a real browser, against real inspection routes. Builds the page first if it is stale.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { buildPage, launchBrowser, openPage, withoutBrowser } from './browser.ts';
import { type FakeBackend, password, startFakeBackend } from './fake-backend.ts';
import { listedKey } from './fake-resources.ts';

const root = process.cwd();
const webRoot = join(root, 'web', 'dist');
const entryBudgetBytes = 60_000;
const wholeBudgetBytes = 150_000;

before(buildPage);

test('the sources of the page hold what their types say', () => {
  const checked = spawnSync(
    process.execPath,
    ['node_modules/typescript/bin/tsc', '-p', 'web/tsconfig.json'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  assert.equal(
    checked.stdout
      .split('\n')
      .filter((line) => line.startsWith('web/'))
      .join('\n'),
    '',
  );
});

test('the page stays within its budgets', () => {
  const assets = join(webRoot, 'assets');
  const packed = new Map(
    readdirSync(assets).map((name) => [name, gzipSync(readFileSync(join(assets, name))).length]),
  );
  const index = readFileSync(join(webRoot, 'index.html'), 'utf8');
  const first = [...packed.keys()].filter((name) => index.includes(name));
  const needed = new Set(first.flatMap((name) => [name, ...importsOf(join(assets, name))]));
  const entry = [...needed].reduce((sum, name) => sum + (packed.get(name) ?? 0), 0);
  const whole = [...packed.values()].reduce((sum, size) => sum + size, 0);
  assert.ok(entry > 0 && entry <= entryBudgetBytes, `the entry is ${entry} bytes`);
  assert.ok(whole <= wholeBudgetBytes, `the whole page is ${whole} bytes`);
});

/** What a file pulls in before it runs; `import()` is for later. */
const importsOf = (path: string): string[] =>
  [...readFileSync(path, 'utf8').matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+)["'`]/g)].flatMap(
    (found) => found[1] ?? [],
  );

test('no file of the page names another origin', () => {
  const assets = join(webRoot, 'assets');
  for (const name of readdirSync(assets)) {
    const urls = readFileSync(join(assets, name), 'utf8').match(/https?:\/\/[\w.-]+/g) ?? [];
    assert.deepEqual(
      urls.filter((url) => !url.includes('www.w3.org')),
      [],
      name,
    );
  }
});

describe('in a browser', { skip: withoutBrowser }, () => {
  let browser: Browser;
  let backend: FakeBackend;
  let page: Page;
  const complaints: string[] = [];

  before(async () => {
    backend = await startFakeBackend(webRoot);
    backend.result('web-01', 'disk', 0, 'DISK OK');
    backend.result('web-01', 'load', 2, 'LOAD CRITICAL - 17');
    browser = await launchBrowser();
    page = await openPage(browser, backend.url, complaints);
    page.on('dialog', (dialog) => dialog.accept());
  });
  after(async () => {
    await browser?.close();
    await backend?.close();
  });

  const open = async (path: string): Promise<void> => {
    await page.goto(`${backend.url}/ui${path}`);
  };

  test('a wrong password is told, the right one leads to what needs attention', async () => {
    await open('/');
    await page.fill('input[name=user]', 'admin');
    await page.fill('input[name=password]', 'wrong');
    await page.click('button[type=submit]');
    await page.getByText('User name or password is wrong.').waitFor();
    await page.fill('input[name=password]', password);
    await page.click('button[type=submit]');
    await page.locator('.events li', { hasText: 'load' }).waitFor();
    assert.equal(
      await page.locator('.events li').count(),
      1,
      'a passing event is shown as needing attention',
    );
    assert.match(page.url(), /\/ui\/n\/default\/events$/);
  });

  test('an access token that is nearly over is refreshed once, and a reload keeps the login', async () => {
    await page.reload();
    await page.locator('.events li', { hasText: 'load' }).waitFor();
    assert.equal(backend.refreshes(), 1);
  });

  test('a new event waits behind a bar, a resolved one stays in its place', async () => {
    backend.result('web-02', 'memory', 1, 'MEMORY WARNING');
    backend.result('web-01', 'load', 0, 'LOAD OK');
    await page.getByText('1 new').waitFor();
    assert.equal(await page.locator('.events li').count(), 1);
    await page.locator('.events li.gone', { hasText: 'load' }).waitFor();
    await page.getByText('1 new').click();
    await page.locator('.events li', { hasText: 'memory' }).waitFor();
    assert.equal(await page.locator('.events li').count(), 1);
  });

  test('keys move, select and run again; the palette finds an actor', async () => {
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('r');
    await page.locator('.notices .done').waitFor();
    assert.ok(backend.writes.includes('POST /api/core/v2/namespaces/default/checks/memory/execute'));
    await page.keyboard.press('Control+k');
    await page.keyboard.type('check:default/web-01/disk');
    await page.locator('.palette .choice', { hasText: 'check:default/web-01/disk' }).waitFor();
    await page.keyboard.press('Escape');
  });

  test('a check turns from passing to failing before the eyes: states light up and the line is run', async () => {
    await open('/n/default/events/web-01/disk');
    const state = (name: string) => page.locator(`.state[data-state="check.${name}"]`);
    await page.locator('.state.active[data-state="check.result.passing"]').waitFor();
    await page.locator('.ring .time').first().waitFor();
    backend.result('web-01', 'disk', 2, 'DISK CRITICAL - 97%');
    await page.locator('.state.active[data-state="check.result.failing"]').waitFor();
    assert.doesNotMatch((await state('result.passing').getAttribute('class')) ?? '', /active/);
    const taken = page.locator('.line.taken');
    await taken.first().waitFor();
    assert.match(
      (await taken.first().getAttribute('data-transitions')) ?? '',
      /check\.result\.passing\|result\.received/,
    );
    await page.locator('.transitions li', { hasText: 'result.failing' }).waitFor();
    await page.getByText('DISK CRITICAL - 97%').first().waitFor();
  });

  test('the road through the pipelines is told with the reason of each filter', async () => {
    backend.system.traces.set('default/web-01/disk', [trace]);
    await page
      .locator('.step', { hasText: 'not_silenced' })
      .getByText('silenced by entity:web-01:*')
      .waitFor();
    await page.locator('.workflow summary', { hasText: 'denied' }).waitFor();
  });

  test('time travel shows an earlier moment and comes back', async () => {
    backend.result('web-01', 'disk', 0, 'DISK OK');
    await page.locator('.state.active[data-state="check.result.passing"]').waitFor();
    await page.getByLabel('One transition back').click();
    await page.getByLabel('One transition back').click();
    await page.locator('.state.active[data-state="check.result.failing"]').waitFor();
    await page.locator('.live-dot.past').waitFor();
    await page.getByText('back to now').click();
    await page.locator('.state.active[data-state="check.result.passing"]').waitFor();
  });

  test('a dry run shows where an event would lead and each guard, and moves nothing', async () => {
    await open(`/actor/${encodeURIComponent('check:default/web-01/disk')}`);
    const before = backend.system.actor('check:default/web-01/disk').handled;
    await page.locator('.event-button', { hasText: 'result.received' }).click();
    await page.locator('.outcome', { hasText: 'It would be in' }).waitFor();
    await page.locator('.candidates li.taken', { hasText: 'isFailing' }).waitFor();
    await page.locator('.candidates li.no').first().waitFor();
    await page.locator('.state.active[data-state="check.result.failing"]').waitFor();
    assert.equal(backend.system.actor('check:default/web-01/disk').handled, before);
    assert.deepEqual(
      backend.writes.filter((line) => line.includes('/send')),
      [],
    );
  });

  test('what an actor page has seen is saved as a file and opened later, time travel included', async () => {
    await open(`/actor/${encodeURIComponent('check:default/web-01/disk')}`);
    await page.locator('.transitions li').first().waitFor();
    const seen = await page.locator('.transitions li').count();
    const save = async (what: string): Promise<string> => {
      const saving = page.waitForEvent('download');
      await page.getByText('Save…').click();
      await page.getByRole('button', { name: what }).click();
      return (await saving).path();
    };
    const file = await save('Recording');
    const machine = JSON.parse(readFileSync(await save('Machine for XState'), 'utf8'));
    assert.deepEqual(Object.keys(machine.states), ['result', 'acknowledgement', 'ttl', 'delivery']);
    const events = JSON.parse(readFileSync(await save('Events for Stately'), 'utf8'));
    assert.equal(events.length, 1 + 2 * seen);
    await open('/open');
    const asked: string[] = [];
    page.on('request', (request) => {
      if (/inspect|core/.test(request.url())) asked.push(request.url());
    });
    await page.getByLabel('File of a recording').setInputFiles(file);
    await page.locator('h1', { hasText: 'check:default/web-01/disk' }).waitFor();
    await page.locator('.state.active[data-state="check.result.passing"]').waitFor();
    assert.equal(await page.locator('.transitions li').count(), seen);
    await page.getByLabel('One transition back').click();
    await page.getByLabel('One transition back').click();
    await page.locator('.state.active[data-state="check.result.failing"]').waitFor();
    assert.deepEqual(asked, [], 'the backend was asked while a file was looked at');
    assert.equal(await page.getByText('What would happen if…').count(), 0);
    await page.getByLabel('File of a recording').setInputFiles('package.json');
    await page.getByText('This file is no recording').waitFor();
  });

  test('a check is made, refused with the field that is wrong, corrected, run and deleted', async () => {
    const editor = page.getByLabel('check as JSON');
    const edit = async (change: (check: Record<string, unknown>) => void): Promise<void> => {
      const check = JSON.parse(await editor.inputValue());
      change(check);
      await editor.fill(JSON.stringify(check, null, 2));
    };
    await open('/n/default/config');
    await page.getByText('There are no checks here.').waitFor();
    await page.getByText('New check…').click();
    await edit((check) => {
      Object.assign(check, { metadata: { name: 'disk-free' }, command: 'df', interval: 'often' });
    });
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('.complaint', { hasText: 'check.interval must be' }).waitFor();
    await page.locator('.complaint button', { hasText: 'interval line 6' }).click();
    const marked = await page.evaluate(
      'document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)',
    );
    assert.equal(marked, '"interval"');
    await edit((check) => Object.assign(check, { interval: 30, subscriptions: ['linux'] }));
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('h1', { hasText: 'disk-free' }).waitFor();
    assert.equal(backend.resources.checks.get('disk-free')?.['interval'], 30);

    await editor.fill('{ "command" }');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.complaint', { hasText: 'This is not JSON yet' }).waitFor();
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByText('It is as shown here.').waitFor();
    await page.getByText('Run now').click();
    await page.locator('.notices .done', { hasText: 'Asked to run disk-free' }).waitFor();
    assert.ok(backend.writes.includes('POST /api/core/v2/namespaces/default/checks/disk-free/execute'));

    await page.locator('.crumbs a').click();
    await page.locator('.table.config tr', { hasText: 'every 30 s' }).waitFor();
    await page.getByLabel('Search checks').fill('disk-free and-more');
    await page.getByText('None fits.').waitFor();
    await page.getByLabel('Search checks').fill('disk');
    await page.locator('.table.config a').click();
    await editor.waitFor();
    await page.getByText('Delete…').click();
    await page.getByText('There are no checks here.').waitFor();
    assert.equal(backend.resources.checks.size, 0);
  });

  test('a change by somebody else is told before it is overwritten', async () => {
    const check = { metadata: { name: 'load', namespace: 'default' }, command: 'uptime', interval: 10 };
    backend.resources.checks.set('load', check);
    await open('/n/default/config/checks/load');
    const editor = page.getByLabel('check as JSON');
    await editor.fill((await editor.inputValue()).replace('uptime', 'mine'));
    backend.resources.checks.set('load', { ...check, command: 'theirs' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.complaint', { hasText: 'Somebody changed it' }).waitFor();
    assert.equal(backend.resources.checks.get('load')?.['command'], 'theirs');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('It is as shown here.').waitFor();
    assert.equal(backend.resources.checks.get('load')?.['command'], 'mine');
  });

  test('a new API key is shown once', async () => {
    await open('/n/default/config/apikeys?new=1');
    await page.getByLabel('API key as JSON').fill('{ "username": "admin" }');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('code', { hasText: 'a-fresh-key' }).waitFor();
  });

  test('lists and links show eight characters of an API key', async () => {
    await open('/n/default/config/apikeys');
    await page.getByText(`${listedKey.slice(0, 8)}…`).waitFor();
    await page.getByText('ci', { exact: true }).waitFor();
    const html = await page.content();
    assert.ok(!html.replaceAll(/href="[^"]*"/g, '').includes(listedKey.slice(0, 9)));
    assert.ok(!(await page.title()).includes(listedKey.slice(0, 9)));
  });

  test('the graphs of the system page show the same moment, by pointer and by keys', async () => {
    Object.assign(backend.system.gauges, { lagMs: 3, longestTurnMs: 12, queueDepth: 7 });
    await open('/system');
    const graph = (label: string, moment = '') =>
      page.locator(`.time-graph[aria-label^="${label}"]${moment}`);
    const showsNow = page.locator('.graph', { hasText: 'Mailboxes' }).getByText('now', { exact: true });
    const [first, second] = ['[aria-valuenow="0"]', '[aria-valuenow="1"]'];
    for (const moments of [0, 1, 2]) {
      backend.system.nowMs += 1_000;
      await graph('Event loop', `[aria-valuemax="${moments}"]`).waitFor();
    }
    await graph('Event loop').focus();
    await page.keyboard.press('Home');
    await graph('Event loop', first).waitFor();
    await graph('Mailboxes', first).waitFor();
    await page.keyboard.press('ArrowRight');
    await graph('Mailboxes', second).waitFor();
    const told = await graph('Event loop', second).getAttribute('aria-valuetext');
    assert.match(told ?? '', /, lag 3\.0 ms, longest turn 12 ms$/);
    await page.keyboard.press('Escape');
    await showsNow.waitFor();
    const box = await graph('Event loop').locator('.u-over').boundingBox();
    assert.ok(box !== null);
    await page.mouse.move(box.x + 1, box.y + box.height / 2);
    await graph('Mailboxes', first).waitFor();
    await page.mouse.move(0, 0);
    await showsNow.waitFor();
  });

  test('every page can be used at 360 pixels: nothing sticks out', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    const paths = ['/n/default/events?show=all', '/n/default/events/web-01/disk', '/n/default/entities'];
    const more = ['/n/default/silences', '/actors', '/actors?as=machines', '/system', '/machine/check'];
    const setUp = ['/n/default/config', '/n/default/config/checks/load', '/n/default/config/roles?new=1'];
    for (const path of [...paths, ...more, ...setUp]) {
      await open(path);
      await page.locator('main h1').waitFor();
      const width = await page.evaluate('document.documentElement.scrollWidth');
      assert.ok(Number(width) <= 360, `${path} is ${width} pixels wide`);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('a tree of ten thousand actors opens with the rows that are seen, and any of them can be scrolled to', async () => {
    const leaf = {
      kind: 'actor',
      machine: 'check',
      value: 'on',
      status: 'up',
      restarts: 0,
      mailbox: 0,
    } as const;
    const leaves = Array.from({ length: 10_000 }, (_, at) => ({ ...leaf, id: `leaf-${at}`, children: 0 }));
    const root = { ...leaf, kind: 'supervisor', machine: 'supervisor', value: null } as const;
    backend.system.nodes.set('', [{ ...root, id: 'backend', children: leaves.length }]);
    backend.system.nodes.set('backend', leaves);
    const asked: URL[] = [];
    page.on('response', (response) => {
      if (response.url().includes('/tree?')) asked.push(new URL(response.url()));
    });
    await open('/actors?as=tree');
    await page.locator('.tree .leaf', { hasText: 'leaf-0' }).first().waitFor();
    assert.ok((await page.locator('.tree li').count()) < 150, 'rows exist that nobody sees');
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    await page.locator('.tree .leaf', { hasText: 'leaf-9999' }).waitFor();
    assert.ok((await page.locator('.tree li').count()) < 150, 'rows exist that nobody sees');
    const listed = asked.reduce(
      (sum, { searchParams }) => Math.max(sum, Number(searchParams.get('limit'))),
      0,
    );
    assert.ok(listed <= 150, `${listed} actors were asked for at once`);
  });

  test('every machine opens as a drawing with all its states', async () => {
    await open('/actors?as=machines');
    await page.locator('.cards b').nth(8).waitFor();
    const names = await page.locator('.cards b').allTextContents();
    assert.ok(names.length >= 9);
    for (const name of names) {
      await open(`/machine/${name}`);
      await page.locator('.state').first().waitFor();
    }
  });

  test('heat tells on each state and line how often it was taken', async () => {
    await open(`/actor/${encodeURIComponent('check:default/web-01/disk')}`);
    await page.locator('.transitions li').first().waitFor();
    assert.equal(await page.locator('.heat-mark').count(), 0);
    await page.getByRole('button', { name: 'Heat' }).click();
    const counts = await page.locator('.heat-mark text').allTextContents();
    assert.ok(counts.length > 0 && counts.every((text) => Number(text) > 0), counts.join());
    await page.locator('.line.cold').first().waitFor();
  });

  test('what is done to the chosen can be done to everything that fits, on the screen or not', async () => {
    // More than two pages: the first hundred, and the five hundred that are read ahead.
    const many = 620;
    for (let at = 0; at < many; at += 1) backend.result(`bulk-${at}`, 'swap', 1, 'SWAP WARNING');
    await open('/n/default/events?check=swap');
    await page.locator('.events li', { hasText: 'swap' }).first().waitFor();
    assert.ok((await page.locator('.events li').count()) < many, 'every row is drawn');
    for (const row of [0, 2, 1]) await page.locator('.events li input').nth(row).check();
    await page.getByText('3 selected').waitFor();
    await page.locator('.events li input').nth(2).uncheck();
    await page.getByText('2 selected').waitFor();
    await page.locator('.bulk input').check();
    await page.getByText(`Select all ${many} that match`).click();
    await page.getByText(`${many} selected`).waitFor();
    await page.locator('.bulk').getByText('Run again').click();
    await page.locator('.notices .done', { hasText: `${many} of ${many} events` }).waitFor();
    // One request: the backend does the rest.
    const jobs = backend.writes.filter((line) => /\/jobs\?.*check=swap/.test(line));
    assert.equal(jobs.length, 1);
  });

  test('nothing was asked of another origin, refused by the policy, or thrown', () => {
    assert.deepEqual(complaints, []);
  });
});

const trace = {
  event: { id: null, namespace: 'default', entity: 'web-01', check: 'disk', timestamp: 1 },
  startedAtMs: Date.now(),
  durationMs: 3,
  workflows: [
    {
      pipeline: 'legacy-pipeline',
      name: 'alerts',
      outcome: 'denied',
      why: 'filter not_silenced denied it',
      filters: [
        { name: 'is_incident', verdict: 'allowed', why: 'status is 2', stopped: false, durationMs: 0.1 },
        {
          name: 'not_silenced',
          verdict: 'denied',
          why: 'silenced by entity:web-01:*',
          stopped: true,
          durationMs: 0.1,
        },
      ],
    },
  ],
  skipped: [],
  retry: false,
  summary: '1 denied',
};
