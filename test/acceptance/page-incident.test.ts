// An operator takes care of an incident on the page: acknowledges it by keyboard, hands it over, notes what was done, and
// finds it again among all others.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { withoutBrowser } from '../web/browser.ts';
import { logIn, openSite, postEvent, type Site } from './page-visitor.ts';
import { inDefault } from './programs.ts';

interface Kept {
  readonly check: {
    readonly acknowledgement?: {
      readonly owner: string;
      readonly comment: string;
      readonly remind_every: number;
    };
    readonly incident_notes?: readonly { readonly text: string }[];
  };
}

describe('an incident on the page', { skip: withoutBrowser }, () => {
  let site: Site;
  let page: Page;
  before(async () => {
    site = await openSite(['--access-token-expiry', '30m']);
    const now = Math.floor(Date.now() / 1000);
    for (const [entity, status, minutes] of [
      ['web-01', 2, 10],
      ['web-02', 1, 60],
      ['web-03', 2, 30],
      ['web-04', 0, 5],
    ] as const)
      await postEvent(site.api, entity, 'disk', status, { check: { executed: now - minutes * 60 } });
    page = await site.tab(await site.context());
    await page.addInitScript("localStorage.setItem('mon.follow', 'off')");
    await open('/n/default/events?sort=name');
    await logIn(page);
    await rowOf('web-01').waitFor();
  });
  after(() => site?.close());

  const open = (path: string) => page.goto(`${site.backend.api}/ui${path}`);
  const rowOf = (entity: string) => page.locator('.events li', { hasText: entity });
  const chip = (name: string) => page.locator('.chip', { hasText: name });
  const kept = async (entity: string) => (await site.api.get<Kept>(inDefault(`events/${entity}/disk`))).check;

  test('is acknowledged by keyboard, with a comment, and shows its owner', async () => {
    await page.keyboard.press('o');
    await page.locator('dialog[open]', { hasText: 'Acknowledge web-01/disk' }).waitFor();
    await page.keyboard.type('disk ordered');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('.notices', { hasText: 'Acknowledged web-01/disk' }).waitFor();
    await rowOf('web-01').locator('.tag.owner', { hasText: 'admin' }).waitFor();
    const { acknowledgement } = await kept('web-01');
    assert.deepEqual(
      [acknowledgement?.owner, acknowledgement?.comment, acknowledgement?.remind_every],
      ['admin', 'disk ordered', 1_800],
    );
  });

  test('a dialog that is opened the moment another one closes stays open', async () => {
    await page.keyboard.press('s');
    await page.locator('dialog[open]', { hasText: 'Silence' }).waitFor();
    // In one turn, as fast fingers do it: the browser tells of the closed dialog only after the next key.
    await page.evaluate(`document.querySelector('dialog[open]').close();
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'o', bubbles: true, cancelable: true }));
      new Promise((told) => setTimeout(told, 100))`);
    await page.locator('dialog[open]', { hasText: 'Acknowledge' }).waitFor({ timeout: 5_000 });
    await page.keyboard.press('Escape');
  });

  test('is among mine, not among the unowned; who takes one away is told why it left', async () => {
    await chip('Mine').click();
    await rowOf('web-02').waitFor({ state: 'detached' });
    await rowOf('web-01').waitFor();
    await chip('Mine').click();
    await chip('Unowned').click();
    await rowOf('web-01').waitFor({ state: 'detached' });
    await rowOf('web-02').waitFor();
    const taken = await site.api.call('PUT', inDefault('events/web-02/disk/acknowledgement'), {
      owner: 'bob',
    });
    assert.equal(taken.status, 200);
    await page.locator('.events li.gone', { hasText: 'web-02' }).getByText('acknowledged now').waitFor();
    await chip('Unowned').click();
    await rowOf('web-02').locator('.tag.owner', { hasText: 'bob' }).waitFor();
  });

  test('stands first when it lasts longest', async () => {
    await page.getByLabel('Order').selectOption('oldest');
    await page.locator('.events li:first-child', { hasText: 'web-02' }).waitFor();
    const names = await page.locator('.events li .what span').allTextContents();
    assert.deepEqual(names, ['web-02', 'web-03', 'web-01']);
  });

  test('is handed over, noted on and released on its own page', async () => {
    await open('/n/default/events/web-01/disk');
    await page.locator('.incident', { hasText: 'disk ordered' }).waitFor();
    await page.getByLabel('Note', { exact: true }).fill('<b>the vendor</b> was called');
    await page.keyboard.press('Enter');
    await page.locator('.notes li', { hasText: '<b>the vendor</b> was called' }).waitFor();
    assert.equal((await kept('web-01')).incident_notes?.length, 1);
    await page.locator('h1').click();
    await page.keyboard.press('o');
    await page.getByLabel('Owner', { exact: true }).fill('carol');
    assert.equal(await page.getByLabel('Comment', { exact: false }).inputValue(), 'disk ordered');
    assert.equal(await page.getByLabel('Remind handlers').inputValue(), '1800');
    await page.keyboard.press('Enter');
    await page.locator('.incident', { hasText: 'carol takes care of it' }).waitFor();
    await page.getByRole('button', { name: 'Change or release…' }).click();
    await page.locator('dialog[open]').getByRole('button', { name: 'Release' }).click();
    await page.locator('.incident', { hasText: 'Nobody takes care of it' }).waitFor();
    assert.equal((await kept('web-01')).acknowledgement, undefined);
  });

  test('says what to read and where: links, colours and words of its output', async () => {
    const output = [
      '\u001b[31mDISK CRITICAL\u001b[0m - 97% of /var, see https://wiki.example.org/disk.',
      '<img src=x onerror=alert(1)> javascript:alert(1)',
      '/var/log grew',
    ].join('\n');
    const metadata = {
      name: 'linked',
      namespace: 'default',
      labels: { team: 'storage' },
      annotations: {
        'mon.io/runbook_url': 'https://runbooks.example.org/disk',
        note: 'javascript:alert(1) and http://plain.example.org/x',
      },
    };
    await postEvent(site.api, 'web-09', 'linked', 2, { check: { metadata, output, handlers: ['pager'] } });
    await open('/n/default/events?sort=name');
    await rowOf('web-09')
      .locator('.output', { hasText: /^DISK CRITICAL - 97%/ })
      .waitFor();
    await open('/n/default/events/web-09/linked');
    const text = page.locator('.check-output pre.output');
    await text.locator('.ansi-red', { hasText: /^DISK CRITICAL$/ }).waitFor();
    const hrefs = await page
      .locator('main a[target=_blank]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    assert.deepEqual(hrefs.sort(), [
      'http://plain.example.org/x',
      'https://runbooks.example.org/disk',
      'https://runbooks.example.org/disk',
      'https://wiki.example.org/disk',
    ]);
    assert.equal(await page.locator('main img').count(), 0, 'output became HTML');
    await page.getByLabel('Search the output').fill('VAR');
    await page.getByText('1 of 2').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('2 of 2').waitFor();
    assert.equal(await text.locator('mark.current').count(), 1);
    for (const name of ['wrap', 'expand']) await page.getByRole('button', { name, exact: true }).click();
    await page.locator('pre.output.unwrapped.whole').waitFor();
    await page.locator('.facts a', { hasText: 'pager' }).click();
    await page.waitForURL('**/config/handlers/pager');
  });

  test('is acknowledged together with others', async () => {
    await open('/n/default/events?sort=name');
    await rowOf('web-01').waitFor();
    for (const entity of ['web-01', 'web-03']) await rowOf(entity).locator('input').check();
    await page.getByRole('button', { name: 'Acknowledge…' }).click();
    await page.locator('dialog[open]', { hasText: 'Acknowledge 2 incidents' }).waitFor();
    await page.locator('dialog[open]').getByRole('button', { name: 'Acknowledge' }).click();
    await page.locator('.notices', { hasText: 'Acknowledged 2 events' }).waitFor();
    for (const entity of ['web-01', 'web-03'])
      assert.equal((await kept(entity)).acknowledgement?.owner, 'admin');
  });
});
