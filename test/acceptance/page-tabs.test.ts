// One browser, many tabs: they share one login and one connection, and each says truly whether it is live.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { withoutBrowser } from '../web/browser.ts';
import { logIn, makeUser, openSite, postEvent, type Site } from './page-visitor.ts';
import { ApiClient, adminPassword, eventually } from './programs.ts';

// A token is renewed half a minute before it ends: with this, every few seconds.
const tokenSeconds = 33;

const refreshToken = (page: Page): Promise<string> =>
  page.evaluate("JSON.parse(sessionStorage.getItem('mon.session') ?? '{}').refresh_token ?? ''");

describe('the tabs of a browser', { skip: withoutBrowser }, () => {
  let site: Site;
  before(async () => {
    site = await openSite(['--access-token-expiry', `${tokenSeconds}s`]);
    await postEvent(site.api, 'web-01', 'disk', 2);
  });
  after(() => site?.close());
  const events = () => `${site.backend.api}/ui/n/default/events`;

  test('eight of them are live at once, and none waits for another', async () => {
    const context = await site.context();
    const tabs: Page[] = [];
    for (let at = 0; at < 8; at += 1) {
      const tab = await site.tab(context);
      await tab.goto(events());
      if (at === 0) await logIn(tab);
      tabs.push(tab);
    }
    for (const tab of tabs) await tab.locator('.live-dot.on').waitFor();
    await postEvent(site.api, 'web-01', 'disk', 1);
    for (const tab of tabs) await tab.locator('.events li', { hasText: 'disk says 1' }).waitFor();
    await context.close();
  });

  test('a new tab has the login of the others, and a copied one does not end it', async () => {
    const context = await site.context();
    const first = await site.tab(context);
    // A page that asks for something every two seconds.
    const event = `${events()}/web-01/disk`;
    await first.goto(event);
    await logIn(first);
    const opened = await site.tab(context);
    await opened.goto(event);
    await opened.locator('.summary').waitFor();
    const copied = await site.tab(context);
    const storage = await first.evaluate("sessionStorage.getItem('mon.session')");
    await copied.addInitScript(`sessionStorage.setItem('mon.session', ${JSON.stringify(storage)})`);
    await copied.goto(event);
    let before = await refreshToken(first);
    for (const turn of [1, 2]) {
      for (const tab of [first, copied, opened]) await tab.locator('.live-dot.on').waitFor();
      await eventually(`a new token, turn ${turn}`, async () => (await refreshToken(first)) !== before);
      before = await refreshToken(first);
    }
    for (const tab of [first, opened, copied]) assert.equal(await tab.locator('.login').count(), 0);
    await context.close();
  });

  test('one that logs out logs all out, and those are told', async () => {
    const context = await site.context();
    const [first, other] = [await site.tab(context), await site.tab(context)];
    await first.goto(events());
    await logIn(first);
    await other.goto(events());
    await other.locator('.user').waitFor();
    await first.locator('.user').click();
    await first.locator('input[name=user]').waitFor();
    assert.equal(await first.locator('.login .problem').count(), 0);
    await other.locator('.login .problem', { hasText: 'You logged out in another tab' }).waitFor();
    await context.close();
  });

  test('a login that the backend ended says why', async () => {
    site.api = await ApiClient.login(site.backend.api);
    await makeUser(site.api, 'eve', 'eve-has-a-password', 'view');
    const page = await site.tab(await site.context());
    await page.goto(events());
    await logIn(page, 'eve', 'eve-has-a-password');
    await page.locator('.live-dot.on').waitFor();
    const reply = await site.api.call('PUT', '/api/core/v2/users/eve/reset_password', {
      username: 'eve',
      password_hash: '$2a$10$abcdefghijklmnopqrstuuWbFvoSxfbCVDhVh9iXt2lVp0JbBgqDO',
    });
    assert.ok(reply.ok, await reply.text());
    await page.locator('.login .problem', { hasText: 'The login is over' }).waitFor();
    await page.context().close();
  });

  test('live is told of a backend that lives: one that hangs is not, and one that is back is again', async () => {
    const page = await site.tab(await site.context());
    await page.goto(events());
    await logIn(page, 'admin', adminPassword);
    await page.locator('.live-dot.on').waitFor();
    site.backend.program.process.kill('SIGSTOP');
    await page.locator('.live-dot.off').waitFor();
    site.backend.program.process.kill('SIGCONT');
    await page.locator('.live-dot.on').waitFor();
    await site.backend.program.kill('SIGKILL');
    await page.locator('.live-dot.off').waitFor();
    await site.restart();
    await page.locator('.live-dot.on').waitFor();
    await postEvent(site.api, 'web-02', 'disk', 2);
    await page.locator('.new-bar').waitFor();
    await page.context().close();
  });
});
