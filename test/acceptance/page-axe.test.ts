// Every page in every theme is looked at by axe-core: names, roles, contrast, and what else it knows.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { withoutBrowser } from '../web/browser.ts';
import { look } from './axe.ts';
import { logIn, openSite, postEvent, type Site } from './page-visitor.ts';
import { inDefault } from './programs.ts';

describe('the page under axe-core', { skip: withoutBrowser }, () => {
  let site: Site;
  let page: Page;
  before(async () => {
    site = await openSite(['--access-token-expiry', '30m']);
    for (const status of [0, 1, 2, 3]) await postEvent(site.api, `web-0${status}`, 'disk', status);
    await postEvent(site.api, 'web-09', 'swap', 1);
    await site.api.post(inDefault('silenced'), {
      metadata: { namespace: 'default' },
      check: 'swap',
      reason: 'moving',
      expire: 3_600,
    });
    const owned = inDefault('events/web-02/disk');
    await site.api.call('PUT', `${owned}/acknowledgement`, { comment: 'ordered', remind_every: 3_600 });
    await site.api.post(`${owned}/notes`, { text: 'the vendor was called' });
    const colours = [31, 32, 33, 34, 35, 36]
      .map((code) => `\u001b[${code}mcolour ${code}\u001b[0m`)
      .join(' ');
    const metadata = {
      name: 'coloured',
      namespace: 'default',
      annotations: { runbook: 'https://runbooks.example.org/disk' },
    };
    await postEvent(site.api, 'web-02', 'coloured', 2, {
      check: { metadata, output: `${colours} | used=85%;80;90 time=0.2s` },
    });
    await site.api.post(inDefault('checks'), {
      command: 'true',
      interval: 60,
      subscriptions: ['linux'],
      metadata: { name: 'disk', namespace: 'default' },
    });
    page = await site.tab(await site.context());
  });
  after(() => site?.close());
  const open = (path: string) => page.goto(`${site.backend.api}/ui${path}`);

  test('the login', async () => {
    await open('/');
    await page.locator('input[name=user]').waitFor();
    assert.deepEqual(await look(page, 'login'), []);
    await logIn(page);
  });

  const places: readonly (readonly [path: string, ready: string])[] = [
    ['/n/default/events', '.events li'],
    ['/n/default/events?show=all', '.events li'],
    ['/n/default/events?search=nothing-like-it', '.quiet-page'],
    ['/n/nowhere/events', '.quiet-page'],
    ['/n/default/events/web-02/disk', '.state.active'],
    ['/n/default/events/web-02/coloured', '.ansi-red'],
    ['/n/default/entities', '.entities li'],
    ['/n/default/entities/web-02', '.state.active'],
    ['/n/default/silences', '.silences li'],
    ['/n/default/config', '.table.config'],
    ['/n/default/config/checks/disk', 'textarea'],
    ['/n/default/config/roles?new=1', 'textarea'],
    ['/actors', '.table.actors tbody tr'],
    ['/actors?as=tree', '.tree li'],
    ['/actors?as=machines', '.cards li'],
    [`/actor/${encodeURIComponent('check:default/web-02/disk')}`, '.state.active'],
    [`/actor/${encodeURIComponent('check:default/web-02/disk')}?as=sequence`, '.sequence'],
    ['/machine/check', '.state'],
    ['/open', 'h1'],
    ['/system', '.time-graph canvas'],
  ];
  for (const [path, ready] of places)
    test(path, async () => {
      await open(path);
      await page.locator(ready).first().waitFor();
      assert.deepEqual(await look(page, path), []);
    });

  test('help, palette and the forms of a silence and an acknowledgement', async () => {
    await open('/n/default/events');
    await page.locator('.events li').first().waitFor();
    await page.keyboard.press('?');
    await page.locator('dialog[open] .keys').waitFor();
    assert.deepEqual(await look(page, 'help'), []);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.locator('.palette[open] .choice').first().waitFor();
    assert.deepEqual(await look(page, 'palette'), []);
    await page.keyboard.press('Escape');
    await page.keyboard.press('s');
    await page.getByText('Covers 1 event').waitFor();
    assert.deepEqual(await look(page, 'silence form'), []);
    await page.keyboard.press('Escape');
    await page.keyboard.press('o');
    await page.getByLabel('Remind handlers').waitFor();
    assert.deepEqual(await look(page, 'acknowledge form'), []);
  });

  test('the bare address leads to the page, which has an icon', async () => {
    await page.goto(`${site.backend.api}/`);
    await page.locator('main h1').waitFor();
    const icon = await page.request.get(`${site.backend.api}/favicon.ico`);
    assert.match(icon.headers()['content-type'] ?? '', /svg/);
  });
});
