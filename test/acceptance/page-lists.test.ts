// The list that stays open all day: all namespaces, groups, columns, saved views, and what tells somebody who looks elsewhere.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { withoutBrowser } from '../web/browser.ts';
import { logIn, makeUser, openSite, type Site } from './page-visitor.ts';
import { eventually } from './programs.ts';

describe('the list of events', { skip: withoutBrowser }, () => {
  let site: Site;
  let page: Page;
  const post = async (
    namespace: string,
    entity: string,
    check: string,
    status: number,
    labels: Record<string, string> = {},
  ): Promise<void> => {
    const reply = await site.api.call('POST', `/api/core/v2/namespaces/${namespace}/events`, {
      entity: { entity_class: 'proxy', metadata: { name: entity, namespace, labels } },
      check: {
        metadata: { name: check, namespace },
        interval: 60,
        status,
        handlers: ['slack'],
        output: `${check} says ${status}`,
      },
    });
    assert.ok(reply.ok, await reply.text());
  };
  before(async () => {
    site = await openSite(['--access-token-expiry', '30m']);
    for (const name of ['sea', 'air']) {
      const reply = await site.api.call('PUT', `/api/core/v2/namespaces/${name}`, { name });
      assert.ok(reply.ok, await reply.text());
    }
    await post('sea', 'web-01', 'disk', 2, { region: 'eu' });
    await post('sea', 'web-01', 'cpu', 1, { region: 'eu' });
    await post('air', 'web-01', 'disk', 2, { region: 'us' });
    await post('default', 'db-01', 'disk', 0);
    page = await site.tab(await site.context());
    await page.addInitScript(
      "localStorage.getItem('mon.follow') ?? localStorage.setItem('mon.follow', 'off')",
    );
    await open('/events');
    await logIn(page);
  });
  after(() => site?.close());
  const open = (path: string) => page.goto(`${site.backend.api}/ui${path}`);
  const rows = () => page.locator('.events li:not(.group):not(.group-rest)');
  const group = (name: string) => page.locator('.events li.group', { hasText: name });
  const statusOf = async (namespace: string, entity: string, check: string): Promise<number> => {
    const path = `/api/core/v2/namespaces/${namespace}/events/${entity}/${check}`;
    return (await site.api.get<{ check: { status: number } }>(path)).check.status;
  };
  const address = () => page.url().slice(`${site.backend.api}/ui`.length);

  test('all namespaces stand in one list, which is live, and acts on each event in its own', async () => {
    await open('/n/sea/events');
    await rows().nth(1).waitFor();
    await page.getByLabel('namespace').selectOption('all namespaces');
    await rows().nth(2).waitFor();
    assert.equal(address(), '/events');
    assert.deepEqual(
      await page
        .locator('.namespace-cell')
        .allTextContents()
        .then((all) => all.toSorted()),
      ['air', 'sea', 'sea'],
    );
    await page.locator('.rail a[aria-current=page]', { hasText: 'Events' }).waitFor();
    await eventually('the title counts them', async () => (await page.title()) === '(3) Events · mon');
    await post('default', 'db-01', 'disk', 2);
    await page.locator('.new-bar', { hasText: '1 new' }).click();
    const added = rows().filter({ hasText: 'db-01' });
    await added.locator('.namespace-cell', { hasText: 'default' }).waitFor();
    await added.getByRole('checkbox').check();
    await page.locator('.bulk').getByRole('button', { name: 'Resolve' }).click();
    await page.locator('.notice').getByText('Now').click();
    await eventually('it is resolved', async () => (await statusOf('default', 'db-01', 'disk')) === 0);
    assert.equal(await statusOf('air', 'web-01', 'disk'), 2);
    await rows().filter({ hasText: 'air' }).locator('a.what').click();
    await page.locator('h1', { hasText: 'disk' }).waitFor();
    assert.equal(address(), '/n/air/events/web-01/disk');
  });

  test('groups are counted, fold and unfold by keyboard, and keep up', async () => {
    await open('/events');
    await rows().first().waitFor();
    await page.getByRole('combobox', { name: 'Groups' }).selectOption('by check');
    await group('disk').getByText('2 events').waitFor();
    await page.getByText('3 events in 2 groups').waitFor();
    assert.equal(await rows().count(), 0);
    await page.keyboard.press('Enter');
    await rows().nth(1).waitFor();
    assert.equal(await group('disk').locator('.fold').getAttribute('aria-expanded'), 'true');
    await page.keyboard.press('x');
    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('x');
    await page.getByText('2 selected').waitFor({ state: 'detached' });
    await page.keyboard.press('j');
    await page.locator('.events li.at', { hasText: 'web-01' }).waitFor();
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await rows().first().waitFor({ state: 'detached' });
    await post('air', 'web-02', 'disk', 2, { region: 'us' });
    await group('disk').getByText('3 events').waitFor();
    await post('air', 'web-02', 'disk', 0);
    await group('disk').getByText('2 events').waitFor();

    await page.getByRole('combobox', { name: 'Groups' }).selectOption('by label…');
    await page.getByLabel('Label to group by').fill('region');
    await page.keyboard.press('Enter');
    await group('eu').getByText('2 events').waitFor();
    await group('us').locator('a.alone').click();
    await rows().first().waitFor();
    assert.equal(await rows().count(), 1);
    await page.locator('.chip.on', { hasText: 'label region: us' }).click();
    await rows().nth(2).waitFor();
  });

  test('columns are chosen, and stay chosen; a view keeps them with all else under a name', async () => {
    await open('/events?show=all&by=label:region&group=eu');
    await rows().nth(1).waitFor();
    await page.locator('summary', { hasText: 'Columns' }).click();
    await page.getByLabel('Handlers').check();
    await page.getByLabel('History').uncheck();
    await page.keyboard.press('Escape');
    await page.locator('.event-head', { hasText: 'Handlers' }).waitFor();
    await rows().first().getByText('slack').waitFor();
    assert.equal(await rows().locator('.strip').count(), 0);
    await page.locator('summary', { hasText: 'Views' }).click();
    await page.getByLabel('Name of the view').fill('Europe');
    await page.keyboard.press('Enter');
    await page.locator('h1', { hasText: 'Europe' }).waitFor();
    await eventually('its name is the title', async () => (await page.title()).endsWith('Europe · mon'));

    await open('/n/default/events?show=all');
    await rows().first().getByText('slack').waitFor();
    await page.locator('summary', { hasText: 'Views' }).click();
    await page.locator('.views a', { hasText: 'Europe' }).click();
    await page.locator('h1', { hasText: 'Europe' }).waitFor();
    await rows().nth(1).waitFor();
    assert.equal(await rows().count(), 2);
    await page.locator('summary', { hasText: 'Views' }).click();
    await page.getByLabel('Forget Europe').click();
    await page.locator('h1', { hasText: 'Events' }).waitFor();
    await page.evaluate("localStorage.removeItem('mon.columns')");
  });

  test('what newly fails is told by a notification and a sound, once they are asked for', async () => {
    const context = await site.context();
    await context.grantPermissions(['notifications']);
    const tab = await site.tab(context);
    await tab.addInitScript(`
      window.told = [];
      window.Notification = class {
        static permission = 'granted';
        static requestPermission = async () => 'granted';
        constructor(title, { body }) { window.told.push(title + ': ' + body); }
        close() {}
      };
      const start = OscillatorNode.prototype.start;
      OscillatorNode.prototype.start = function (...when) { window.told.push('tone'); return start.apply(this, when); };
    `);
    await tab.goto(`${site.backend.api}/ui/events`);
    await logIn(tab);
    await tab.locator('.events li', { hasText: 'web-01' }).first().waitFor();
    const told = async (): Promise<string[]> => (await tab.evaluate('window.told')) as string[];
    await post('air', 'quiet', 'disk', 2);
    await tab
      .locator('.events li, .new-bar', { hasText: /quiet|1 new/ })
      .first()
      .waitFor();
    assert.deepEqual(await told(), [], 'it told before it was asked to');
    await tab.locator('summary', { hasText: 'Alerts' }).click();
    await tab.getByLabel('Browser notification').check();
    await tab.getByLabel('Sound').check();
    await eventually('the sound is heard when it is switched on', async () => (await told()).length === 2);
    await tab.keyboard.press('Escape');
    await post('sea', 'loud', 'disk', 2);
    await eventually('a notification', async () =>
      (await told()).includes('mon: 1 new incident: sea/loud/disk'),
    );
    await eventually(
      'two tones more',
      async () => (await told()).filter((one) => one === 'tone').length === 4,
    );
    // The same result again is no news; one that passes is none, either.
    await post('sea', 'loud', 'disk', 2);
    await post('sea', 'loud', 'disk', 0);
    await post('sea', 'last', 'disk', 1);
    await eventually('the next one', async () =>
      (await told()).includes('mon: 1 new incident: sea/last/disk'),
    );
    assert.equal((await told()).filter((one) => one.includes('loud')).length, 1);
    await tab.context().close();
    for (const [namespace, entity] of [
      ['air', 'quiet'],
      ['sea', 'last'],
    ] as const)
      await post(namespace, entity, 'disk', 0);
  });

  test('whoever may look into one namespace sees that in the list of all', async () => {
    await makeUser(site.api, 'nina', 'nina-has-a-password', 'view');
    await post('default', 'db-02', 'disk', 2);
    const tab = await site.tab(await site.context());
    await tab.goto(`${site.backend.api}/ui/events`);
    await logIn(tab, 'nina', 'nina-has-a-password');
    await tab.locator('.events li', { hasText: 'db-02' }).waitFor();
    await tab.locator('.live-dot.on').waitFor();
    assert.equal(await tab.locator('.events li').count(), 1);
    await tab.locator('.events input').first().check();
    assert.equal(await tab.locator('.bulk').getByRole('button', { name: 'Resolve' }).count(), 0);
    await post('default', 'db-03', 'disk', 2);
    await tab
      .locator('.new-bar, .events li', { hasText: /1 new|db-03/ })
      .first()
      .waitFor();
    await tab.context().close();
  });

  test('what a check measured is drawn, and its output compared with the one before', async () => {
    const measure = async (output: string, executed: number): Promise<void> => {
      const metadata = { name: 'room', namespace: 'sea' };
      const reply = await site.api.call('POST', '/api/core/v2/namespaces/sea/events', {
        entity: { entity_class: 'proxy', metadata: { name: 'disk-01', namespace: 'sea' } },
        check: { metadata, interval: 60, status: 0, output, executed },
      });
      assert.ok(reply.ok, await reply.text());
    };
    const now = Math.floor(Date.now() / 1000);
    await measure('DISK OK\nroot is fine\n| used=70%;80;90', now - 60);
    await open('/n/sea/events/disk-01/room');
    const used = page.locator('.measured tr', { hasText: 'used' });
    await used.getByRole('img', { name: '70%; warning from 80%, critical from 90%' }).waitFor();
    await used.getByText('one result').waitFor();
    const difference = page.getByRole('button', { name: 'difference' });
    assert.equal(await difference.isDisabled(), true);
    await measure('DISK OK\nroot is full\n| used=95%;80;90', now);
    await used.getByRole('img', { name: 'used: 2 results from 70 to 95' }).waitFor();
    await used.locator('.figure-bar rect.critical').first().waitFor();
    await difference.click();
    await page.locator('.diff-line.removed', { hasText: 'root is fine' }).waitFor();
    await page.locator('.diff-line.added', { hasText: 'root is full' }).waitFor();
    await page.locator('.diff-line.same', { hasText: 'DISK OK' }).waitFor();
    await eventually(
      'the tab says where it is',
      async () => (await page.title()) === 'room on disk-01 · mon',
    );
  });

  test('the palette finds with a few letters, and takes orders by keyboard', async () => {
    const choice = (text: string | RegExp) => page.locator('.palette .choice', { hasText: text });
    const type = async (text: string): Promise<void> => {
      await page.keyboard.press('Control+k');
      await page.locator('.palette input').fill(text);
    };
    const silences = async (): Promise<
      readonly { subscription: string; check?: string; expire_at: number }[]
    > => site.api.get('/api/core/v2/namespaces/sea/silenced');
    const check = await site.api.call('POST', '/api/core/v2/namespaces/sea/checks', {
      metadata: { name: 'probe-of-the-tide', namespace: 'sea' },
      command: 'true',
      interval: 60,
      subscriptions: ['linux'],
    });
    assert.ok(check.ok);
    await open('/n/sea/events');
    await rows().first().waitFor();
    await type('wb1dsk');
    await choice('web-01/disk').first().waitFor();
    await page.keyboard.press('Enter');
    await page.locator('h1', { hasText: 'disk' }).waitFor();
    await type('air web-01 disk');
    await choice('air/web-01/disk').waitFor();
    await page.keyboard.press('Enter');
    await eventually('it leads into the other namespace', () => address() === '/n/air/events/web-01/disk');
    await open('/n/sea/events');
    await rows().first().waitFor();
    await type('tide');
    await choice(/^probe-of-the-tide/).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('h1', { hasText: 'probe-of-the-tide' }).waitFor();

    await type('sile');
    await choice('silence …').waitFor();
    await page.locator('.palette .choice.at', { hasText: 'silence …' }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('web-01 for 2 h');
    await choice('silence web-01 for 2h').first().waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.notices .done', { hasText: 'Silenced web-01 for 2h' }).waitFor();
    const [made] = await silences();
    assert.equal(made?.subscription, 'entity:web-01');
    assert.ok(Math.abs((made?.expire_at ?? 0) - Date.now() / 1000 - 7_200) < 120);

    await type('ack web-01/cpu');
    await choice('acknowledge web-01/cpu').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('dialog h2', { hasText: 'Acknowledge web-01/cpu' }).waitFor();
    await page.keyboard.type('on it');
    await page.keyboard.press('Control+Enter');
    await page.locator('.notices .done', { hasText: 'Acknowledged web-01/cpu' }).waitFor();
    await type('resolve web-01 cpu');
    await choice('resolve web-01/cpu').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.notice').getByText('Now').click();
    await eventually('it is resolved', async () => (await statusOf('sea', 'web-01', 'cpu')) === 0);
    await type('resolve web-01 cpu');
    await page.getByText('that this can be done to').waitFor();
    await page.keyboard.press('Escape');

    const tab = await site.tab(await site.context());
    await tab.goto(`${site.backend.api}/ui/n/default/events`);
    await logIn(tab, 'nina', 'nina-has-a-password');
    await tab.locator('.events li').first().waitFor();
    await tab.keyboard.press('Control+k');
    await tab.locator('.palette input').fill('db-02');
    await tab.locator('.palette .choice', { hasText: 'db-02/disk' }).first().waitFor();
    await tab.locator('.palette input').fill('silence db-02');
    await tab.getByText('that this can be done to').waitFor();
    await tab.locator('.palette input').fill('sea');
    await tab.locator('.palette .choice').first().waitFor();
    assert.equal(await tab.locator('.palette .choice', { hasText: 'web-01' }).count(), 0);
    await tab.context().close();
  });

  const keyOf = async (username: string): Promise<string> => {
    const reply = await site.api.call('POST', '/api/core/v2/apikeys', { username });
    assert.equal(reply.status, 201);
    return (reply.headers.get('location') ?? '').split('/').at(-1) ?? '';
  };

  test('a wall follows, turns its views, and is opened once with a key that may only look', async () => {
    await makeUser(site.api, 'wally', 'wally-has-a-password', 'view');
    const key = await keyOf('wally');
    const context = await site.context();
    const tab = await site.tab(context);
    const views = ['Bad|/n/default/events?severity=critical', 'All|/n/default/events?show=all&by=check'];
    const query = new URLSearchParams({ wall: '1', every: '3600' });
    for (const view of views) query.append('view', view);
    await tab.goto(`${site.backend.api}/ui/n/default/events?${query}`);
    await tab.getByLabel('API key').fill('no-such-key');
    await tab.keyboard.press('Enter');
    await tab.getByText('This key is not valid.').waitFor();
    await tab.getByLabel('API key').fill(await keyOf('admin'));
    await tab.keyboard.press('Enter');
    await tab.locator('.problem', { hasText: 'make a key of a user who may only look' }).waitFor();
    await tab.getByLabel('API key').fill(key);
    await tab.keyboard.press('Enter');
    await tab.locator('.wall h1', { hasText: 'Bad' }).waitFor();
    await tab.locator('.wall-lines li', { hasText: 'db-02' }).waitFor();
    await post('default', 'db-09', 'disk', 2);
    await tab.locator('.wall-lines li', { hasText: 'db-09' }).waitFor();
    await post('default', 'db-09', 'disk', 0);
    await tab.locator('.wall-lines li', { hasText: 'db-09' }).waitFor({ state: 'detached' });
    await tab.keyboard.press('ArrowRight');
    await tab.locator('.wall h1', { hasText: 'All' }).getByText('2 of 2').waitFor();
    await tab.locator('.wall-lines li', { hasText: /disk.*passing/ }).waitFor();
    await tab.reload();
    await tab.locator('.wall-lines li', { hasText: 'db-02' }).waitFor();

    // Its login is its own: another tab of the same browser has none.
    const other = await site.tab(context);
    await other.goto(`${site.backend.api}/ui/`);
    await other.locator('input[name=user]').waitFor();
    // A key that comes with the address is taken out of it.
    const second = await site.tab(await site.context());
    await second.goto(`${site.backend.api}/ui/events?wall=1#key=${key}`);
    await second.locator('.wall-lines li', { hasText: 'db-02' }).waitFor();
    assert.equal(second.url(), `${site.backend.api}/ui/events?wall=1`);
    const gone = await site.api.call('DELETE', `/api/core/v2/apikeys/${key}`);
    assert.ok(gone.ok);
    await tab.getByText('The API key of this wallboard is not taken any more.').waitFor();
    await second.context().close();
    await context.close();
  });

  test('nothing was thrown and nothing asked from elsewhere', () => {
    // The stream of a key that was taken back is cut.
    const unexpected = site.complaints.filter(
      (one) => !/ERR_INCOMPLETE_CHUNKED_ENCODING .*\/streams$/.test(one),
    );
    assert.deepEqual(unexpected, []);
  });
});
