// An operator works with the page: keys that do what the focus says, actions that can be taken back, a list that keeps up,
// and states that are called what they are.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { withoutBrowser } from '../web/browser.ts';
import { logIn, makeUser, openSite, postEvent, type Site } from './page-visitor.ts';
import { eventually, inDefault, startAgent } from './programs.ts';

describe('working with the page', { skip: withoutBrowser }, () => {
  let site: Site;
  let page: Page;
  before(async () => {
    site = await openSite(['--access-token-expiry', '30m']);
    for (const [entity, status] of [
      ['web-01', 2],
      ['web-02', 2],
      ['web-03', 1],
      ['web-04', 0],
    ] as const)
      await postEvent(site.api, entity, 'disk', status);
    page = await site.tab(await site.context());
    await page.addInitScript(
      "localStorage.getItem('mon.follow') ?? localStorage.setItem('mon.follow', 'off')",
    );
    await open('/n/default/events?sort=name');
    await logIn(page);
    await rowOf('web-01').waitFor();
  });
  after(() => site?.close());

  const open = (path: string) => page.goto(`${site.backend.api}/ui${path}`);
  const rowOf = (entity: string) => page.locator('.events li', { hasText: entity });
  const statusOf = async (entity: string): Promise<number> => {
    const found = await site.api.get<{ check: { status: number } }>(inDefault(`events/${entity}/disk`));
    return found.check.status;
  };
  const path = () => new URL(page.url()).pathname;

  test('Enter presses what has the focus, and opens the row only where nothing has it', async () => {
    await open('/n/default/events?sort=name');
    await rowOf('web-03').waitFor();
    await page.locator('.chip', { hasText: 'Not passing' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('.chip.on', { hasText: 'Not passing' }).waitFor();
    assert.equal(path(), '/ui/n/default/events');
    await rowOf('web-03').locator('a.what').focus();
    await page.keyboard.press('Enter');
    await page.locator('h1', { hasText: 'disk' }).waitFor();
    assert.equal(path(), '/ui/n/default/events/web-03/disk', 'the row of the cursor was opened');
    await open('/n/default/events?sort=name');
    await rowOf('web-01').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('h1', { hasText: 'disk' }).waitFor();
    assert.equal(path(), '/ui/n/default/events/web-01/disk');
  });

  test('behind an open dialog or menu no key does anything', async () => {
    await open('/n/default/events?sort=name');
    await rowOf('web-01').waitFor();
    await page.keyboard.press('?');
    await page.locator('dialog[open] .keys').waitFor();
    for (const key of ['a', 'x', 'j', 'r', 's']) await page.keyboard.press(key);
    await page.keyboard.press('Escape');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
    assert.equal(await page.locator('.notices *').count(), 0, 'a key acted behind the help');
    assert.equal(await page.locator('.events li.chosen').count(), 0);
    await page.getByTitle('Looks').click();
    await page.keyboard.press('x');
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.events li.chosen').count(), 0, 'a key acted behind a menu');
  });

  test('keys work after a click on a checkbox, and reach the row they were meant for', async () => {
    await open('/n/default/events?sort=name');
    await rowOf('web-01').waitFor();
    await rowOf('web-03').locator('input').click();
    await page.getByText('1 selected').waitFor();
    // As fast as a browser can be told: nothing is drawn in between.
    await page.evaluate(`for (const key of ['j', 'x', 'j', 'x'])
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))`);
    await page.getByText('1 selected').waitFor();
    await page.locator('.events li.chosen', { hasText: 'web-02' }).waitFor();
    await page.locator('.events li.at', { hasText: 'web-03' }).waitFor();
  });

  test('a resolve waits for as long as it can be taken back', async () => {
    await open('/n/default/events?sort=name');
    await rowOf('web-01').waitFor();
    await page.keyboard.press('a');
    await page.locator('.notice', { hasText: 'Resolving web-01/disk' }).waitFor();
    await rowOf('web-01').getByText('resolving…').waitFor();
    assert.equal(await statusOf('web-01'), 2, 'it was sent at once');
    await page.keyboard.press('u');
    await page.locator('.notice').waitFor({ state: 'detached' });
    await rowOf('web-01').getByText('resolving…').waitFor({ state: 'detached' });
    await page.keyboard.press('a');
    await page.locator('.notice').getByText('Now').click();
    await eventually('the event is resolved', async () => (await statusOf('web-01')) === 0);
    await rowOf('web-01').waitFor({ state: 'detached' });
    await page.keyboard.press('a');
    await eventually('the window is over', async () => (await statusOf('web-02')) === 0);
    assert.equal(await statusOf('web-03'), 1);
  });

  test('a list that nobody touches keeps up by itself, and what left it says why', async () => {
    await postEvent(site.api, 'web-01', 'disk', 2);
    await open('/n/default/events?sort=name');
    await rowOf('web-01').waitFor();
    await postEvent(site.api, 'web-05', 'disk', 2);
    await postEvent(site.api, 'web-01', 'disk', 0);
    await page.locator('.new-bar.critical', { hasText: '1 new, 1 critical' }).waitFor();
    await page.locator('.events li.gone', { hasText: 'web-01' }).getByText('passes now').waitFor();
    await page.keyboard.press('n');
    await rowOf('web-05').waitFor();
    await rowOf('web-01').waitFor({ state: 'detached' });
    await page.getByLabel('follow').check();
    await postEvent(site.api, 'web-06', 'disk', 1);
    await rowOf('web-06').waitFor();
    await page.locator('.new-bar').waitFor({ state: 'detached' });
    await page.getByLabel('follow').uncheck();
  });

  test('what is not there is called so, and counts are of what was searched for', async () => {
    await open('/n/nowhere/events');
    await page.getByText('There is no namespace “nowhere”').waitFor();
    assert.equal(await page.getByText('Nothing needs attention').count(), 0);
    await open('/n/default/events?search=web-03');
    await rowOf('web-03').waitFor();
    await page.locator('.chip.on', { hasText: /^Needs attention 1$/ }).waitFor();
    await open('/n/default/events?search=nothing-like-it');
    await page.getByText('No event matches.').waitFor();
    assert.equal(await page.locator('.quiet-page .status-icon').count(), 0, 'no match is shown in green');
    await page.getByText('Take the filters off').click();
    await rowOf('web-03').waitFor();
  });

  test('without the backend no rows stand under a chip that did not ask for them', async () => {
    await open('/n/default/events?sort=name');
    await rowOf('web-03').waitFor();
    await page.context().setOffline(true);
    await page.locator('.chip', { hasText: 'All' }).click();
    await page
      .locator('.problem')
      .waitFor()
      .finally(() => page.context().setOffline(false));
    assert.equal(await page.locator('.events li').count(), 0, 'rows of another filter are shown');
    await rowOf('web-04').waitFor();
  });

  test('a result that was posted has a last ok, and how long it lasts outlives a restart', async () => {
    const minute = 60;
    const now = Math.floor(Date.now() / 1000);
    await postEvent(site.api, 'db-01', 'posted', 0);
    await open('/n/default/events/db-01/posted');
    const lastOk = page.locator('.figures div', { hasText: 'last ok' }).locator('dd');
    await lastOk.getByText(/ago|just now/).waitFor();
    const since = now - 100 * minute;
    for (let at = 0; at < 30; at += 1)
      await postEvent(site.api, 'db-01', 'long', 2, { check: { executed: since + at * 3 * minute } });
    const howLong = page.locator('.how-long', { hasText: /for 1h (39|40|41)m/ });
    await open('/n/default/events/db-01/long');
    await howLong.waitFor();
    await site.backend.program.kill('SIGTERM');
    await site.restart();
    await open('/n/default/events/db-01/long');
    await howLong.waitFor();
  });

  test('a silent agent is told of: its line of life ends, and its checks are old', async () => {
    const keepalive = ['--keepalive-interval', '1', '--keepalive-warning-timeout', '5'];
    const agent = startAgent(site.backend, site.dir, ['--name', 'pi', ...keepalive]);
    await eventually('the agent', async () => (await site.api.call('GET', inDefault('entities/pi'))).ok);
    await postEvent(site.api, 'pi', 'temperature', 0, { entity: { entity_class: 'agent' } });
    await agent.kill('SIGKILL');
    await open('/n/default/entities/pi');
    await page.getByText('The agent of pi is silent').waitFor();
    await page.locator('.events li.stale', { hasText: 'temperature' }).getByText('stale').waitFor();
    await page.locator('.keepalive-words', { hasText: 'silent for' }).waitFor();
    await page.locator('.keepalive .sign:not(.ok)').first().waitFor({ state: 'attached' });
    const signs = await page.locator('.keepalive svg').getAttribute('aria-label');
    const failures = await page.locator('.keepalive .sign:not(.ok)').count();
    const all = await page.locator('.keepalive .sign').count();
    assert.match(signs ?? '', new RegExp(`^${all - failures} signs of life`));
    await open('/n/default/events?show=all&sort=name');
    await page.locator('.events li.stale', { hasText: 'temperature' }).waitFor();
  });

  test('one silence for many events is made, changed, extended and lifted, and told of when it ended', async () => {
    for (const name of ['eu-01', 'eu-02'])
      await postEvent(site.api, name, 'http', 2, {
        entity: { metadata: { name, namespace: 'default', labels: { region: 'eu' } } },
      });
    await open('/n/default/silences');
    await page.getByRole('button', { name: 'New silence…' }).click();
    const form = page.locator('form.form');
    await form.locator('input[name=selector]').fill("event.labels.region == 'eu'");
    await form
      .locator('.preview', { hasText: 'Covers 2 events on 2 entities now, 2 of them not passing' })
      .waitFor();
    await form.locator('input[name=name]').fill('eu-upgrade');
    await form.locator('input[name=reason]').fill('upgrade in the EU');
    await form.locator('button[type=submit]').click();
    const row = page.locator('.silences li', { hasText: 'eu-upgrade' });
    await row.getByText('covers 2 events').waitFor();
    await row.locator('code', { hasText: "event.labels.region == 'eu'" }).waitFor();

    const stored = async () =>
      (await site.api.get(inDefault('silenced/eu-upgrade'))) as {
        readonly expire_at: number;
        readonly reason: string;
        readonly windows?: readonly object[];
      };
    const before = await stored();
    await row.getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Extend by 1 h' }).click();
    await eventually('an hour more', async () => (await stored()).expire_at === before.expire_at + 3_600);

    await row.getByRole('button', { name: 'Change…' }).click();
    await form.locator('input[name=reason]').fill('upgrade, each Sunday');
    await form.getByRole('button', { name: 'Add a time' }).click();
    await form.getByLabel('Time zone of the window').fill('Europe/Berlin');
    await form.locator('button[type=submit]').click();
    await row.getByText('only Sun 02:00-04:00 Europe/Berlin').waitFor();
    const changed = await stored();
    assert.deepEqual(
      [changed.reason, changed.windows, Math.abs(changed.expire_at - before.expire_at - 3_600) < 60],
      [
        'upgrade, each Sunday',
        [{ days: ['sunday'], begin: '02:00', end: '04:00', time_zone: 'Europe/Berlin' }],
        true,
      ],
    );

    await row.getByRole('button', { name: 'Lift' }).click();
    await page.locator('.ended li', { hasText: 'eu-upgrade' }).getByText('lifted by admin').waitFor();
  });

  test('all that match are dealt with by a job of the backend, which says how far it is and can be stopped', async () => {
    const many = 130;
    for (let at = 0; at < many; at += 1) await postEvent(site.api, 'bulk', `swap-${at}`, 1);
    await open('/n/default/events?entity=bulk');
    const chooseAll = async (): Promise<void> => {
      await page.locator('.events li', { hasText: 'swap' }).first().waitFor();
      await page.locator('.bulk input').check();
      const all = page.getByText(`Select all ${many} that match`);
      if (await all.isVisible()) await all.click();
      await page.getByText(`${many} selected`).waitFor();
    };
    await chooseAll();
    await page.locator('.bulk').getByText('Acknowledge…').click();
    await page.locator('dialog textarea').fill('more memory is ordered');
    await page.keyboard.press('Control+Enter');
    await page.locator('.notices .done', { hasText: `Acknowledged ${many} of ${many} events` }).waitFor();

    await open('/n/default/events?entity=bulk&owned=mine');
    await chooseAll();
    await page.locator('.bulk').getByRole('button', { name: 'Resolve' }).click();
    const job = page.locator('.notice.waiting', { hasText: `Resolving ${many} events` });
    await job.waitFor();
    // It is the backend's: the page may be left.
    await page.reload();
    await job.getByRole('button', { name: /Undo|Stop/ }).click();
    await page.locator('.notices .done', { hasText: /^. Canceled: resolved/ }).waitFor();
    const found = (await site.api.get('/api/inspect/v1/namespaces/default/jobs')) as readonly {
      readonly action: string;
      readonly state: string;
    }[];
    assert.deepEqual(
      found.map(({ action, state }) => [action, state]),
      [
        ['resolve', 'canceled'],
        ['acknowledge', 'done'],
      ],
    );
    // They would stand above what the next tests look for.
    for (let at = 0; at < many; at += 1) await postEvent(site.api, 'bulk', `swap-${at}`, 0);
  });

  test('nothing that cannot be run again is offered to be', async () => {
    await open('/n/default/events/web-03/disk');
    const run = page.getByRole('button', { name: 'Run again' });
    await page.locator('.summary').waitFor();
    await page.locator('button[title^="Can\'t be run again: no check of this name"]').waitFor();
    assert.equal(await run.isDisabled(), true);
    await page.keyboard.press('r');
    await page.locator('.notices .failed', { hasText: 'no check of this name' }).waitFor();
  });

  test('who may only look sees the statechart, finds things, and is offered nothing that is forbidden', async () => {
    await makeUser(site.api, 'vera', 'vera-has-a-password', 'view');
    const tab = await site.tab(await site.context());
    const refused: string[] = [];
    tab.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url());
    });
    await tab.goto(`${site.backend.api}/ui/`);
    await logIn(tab, 'vera', 'vera-has-a-password');
    await tab.locator('.events li', { hasText: 'web-03' }).locator('a.what').click();
    await tab.locator('.state.active[data-state="check.result.failing"]').waitFor();
    for (const name of ['Resolve', 'Silence…', 'Delete…', 'Run again'])
      assert.equal(await tab.getByRole('button', { name }).count(), 0, `${name} is offered`);
    assert.deepEqual(await tab.locator('.rail a span').allTextContents(), [
      'Events',
      'Entities',
      'Silences',
      'Config',
      'Actors',
    ]);
    await tab.keyboard.press('Control+k');
    await tab.keyboard.type('web-03/disk');
    await tab.locator('.palette .choice', { hasText: 'check:default/web-03/disk' }).waitFor();
    await tab.keyboard.press('Escape');
    for (const name of ['Entities', 'Silences', 'Actors', 'Config']) {
      await tab.locator('.rail a', { hasText: name }).click();
      await tab.locator('main h1').waitFor();
    }
    assert.deepEqual(refused, []);
    await tab.context().close();
  });

  test('who may read in one namespace only lands there', async () => {
    const reply = await site.api.call('PUT', '/api/core/v2/namespaces/team', { name: 'team' });
    assert.ok(reply.ok, await reply.text());
    await site.api.call('PUT', '/api/core/v2/users/tom', { username: 'tom', password: 'tom-has-a-password' });
    const binding = await site.api.call('PUT', '/api/core/v2/namespaces/team/rolebindings/tom', {
      metadata: { name: 'tom', namespace: 'team' },
      subjects: [{ type: 'User', name: 'tom' }],
      role_ref: { type: 'ClusterRole', name: 'view' },
    });
    assert.ok(binding.ok, await binding.text());
    const tab = await site.tab(await site.context());
    await tab.goto(`${site.backend.api}/ui/`);
    await logIn(tab, 'tom', 'tom-has-a-password');
    await tab.getByText('No events yet.').waitFor();
    assert.equal(new URL(tab.url()).pathname, '/ui/n/team/events');
    await tab.context().close();
  });
});
