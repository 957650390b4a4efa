// Failures that follow from another one, on the page: folded under it, counted apart, and named where they are opened.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { withoutBrowser } from '../web/browser.ts';
import { logIn, openSite, postEvent, type Site } from './page-visitor.ts';

const behind = { check: { depends_on: ['router-1/ping'] } };

describe('dependencies on the page', { skip: withoutBrowser }, () => {
  let site: Site;
  let page: Page;
  before(async () => {
    site = await openSite(['--access-token-expiry', '30m']);
    await postEvent(site.api, 'router-1', 'ping', 2);
    await postEvent(site.api, 'alone', 'disk', 1);
    for (const entity of ['web-01', 'web-02', 'web-03']) await postEvent(site.api, entity, 'http', 2, behind);
    await postEvent(site.api, 'web-04', 'http', 0, behind);
    page = await site.tab(await site.context());
    await page.addInitScript("localStorage.setItem('mon.follow', 'off')");
    await open('/n/default/events?sort=name');
    await logIn(page);
    await rowOf('router-1').waitFor();
  });
  after(() => site?.close());

  const open = (path: string) => page.goto(`${site.backend.api}/ui${path}`);
  const rowOf = (entity: string) => page.locator('.events li', { hasText: entity });
  const names = () => page.locator('.events li .what span').allTextContents();
  const chip = (name: string) => page.locator('.chip', { hasText: name });

  test('one incident needs attention, and says how many depend on it', async () => {
    assert.deepEqual(await names(), ['alone', 'router-1']);
    await rowOf('router-1').getByText('3 depend on it').waitFor();
    assert.equal(await chip('Needs attention').locator('.chip-count').textContent(), '2');
    await page.waitForFunction("document.title.startsWith('(2)')");
  });

  test('those unfold and fold by key; one of them can be opened', async () => {
    await page.keyboard.press('j');
    await page.keyboard.press('d');
    await rowOf('web-03').waitFor();
    const [alone, router, ...dependents] = await names();
    // The worst first; of those that are as bad as each other, the latest.
    assert.deepEqual(
      [alone, router, ...dependents.toSorted()],
      ['alone', 'router-1', 'web-01', 'web-02', 'web-03'],
    );
    await page.keyboard.press('d');
    await rowOf('web-03').waitFor({ state: 'detached' });
    await page.keyboard.press('d');
    await rowOf('web-01').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.locator('h1', { hasText: 'http' }).waitFor();
    await page.locator('.tag.masked', { hasText: 'masked by router-1/ping (critical for' }).waitFor();
    await page.locator('.dependencies', { hasText: 'It depends on router-1/ping' }).waitFor();
    await page.locator('.tag.masked a').click();
    await page.locator('.dependencies', { hasText: '4 events depend on it' }).waitFor();
  });

  test('the chip of the masked lists them, and one that is no longer masked says so', async () => {
    await open('/n/default/events?sort=name');
    await chip('Masked').click();
    await rowOf('web-01').waitFor();
    assert.deepEqual(await names(), ['web-01', 'web-02', 'web-03']);
    await rowOf('web-01').locator('.tag.masked', { hasText: 'masked' }).waitFor();
    await postEvent(site.api, 'router-1', 'ping', 0);
    await page.locator('.events li.gone', { hasText: 'web-02' }).waitFor();
    await open('/n/default/events?sort=name');
    await rowOf('web-01').waitFor();
    assert.deepEqual(await names(), ['alone', 'web-01', 'web-02', 'web-03']);
  });
});
