// The lists of events under axe-core: of all namespaces, by groups, with columns, and as a wallboard.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { withoutBrowser } from '../web/browser.ts';
import { look } from './axe.ts';
import { logIn, openSite, postEvent, type Site } from './page-visitor.ts';
import { inDefault } from './programs.ts';

describe('the lists under axe-core', { skip: withoutBrowser }, () => {
  let site: Site;
  let page: Page;
  before(async () => {
    site = await openSite(['--access-token-expiry', '30m']);
    for (const status of [0, 1, 2, 3]) await postEvent(site.api, `web-0${status}`, 'disk', status);
    await site.api.call('PUT', `${inDefault('events/web-02/disk')}/acknowledgement`, { comment: 'ordered' });
    page = await site.tab(await site.context());
    await open('/events');
    await logIn(page);
  });
  after(() => site?.close());
  const open = (path: string) => page.goto(`${site.backend.api}/ui${path}`);

  const places: readonly (readonly [path: string, ready: string])[] = [
    ['/events?show=all', '.events li'],
    ['/n/default/events?columns=output,owner,occurrences,class,handlers,last,since', '.event-head'],
    ['/events?wall=1', '.wall-lines li'],
    ['/events?wall=1&by=entity&show=all', '.wall-lines li'],
  ];
  for (const [path, ready] of places)
    test(path, async () => {
      await open(path);
      await page.locator(ready).first().waitFor();
      assert.deepEqual(await look(page, path), []);
    });

  test('groups, and the menus of the list', async () => {
    await open('/events?by=check');
    await page.locator('.events li.group').first().waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.events li input').first().waitFor();
    assert.deepEqual(await look(page, 'an unfolded group'), []);
    for (const menu of ['Views', 'Alerts', 'Columns']) {
      await page.locator('summary', { hasText: menu }).click();
      assert.deepEqual(await look(page, menu), []);
      await page.keyboard.press('Escape');
    }
  });
});
