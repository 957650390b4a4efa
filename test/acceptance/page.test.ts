// The page as an operator meets it: a backend and an agent as processes, a real browser, and one incident from its first
// result to the reason why nobody was told.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { startIssuer } from '../http/providers/local-issuer.ts';
import { buildPage, launchBrowser, openPage, withoutBrowser } from '../web/browser.ts';
import {
  ApiClient,
  adminPassword,
  type Backend,
  eventually,
  inDefault,
  type Program,
  startAgent,
  startBackend,
} from './programs.ts';

interface SeenEvent {
  readonly check: { readonly status: number; readonly occurrences: number };
}

const ttlSeconds = 12;

describe('an operator at the page', { skip: withoutBrowser }, () => {
  const complaints: string[] = [];
  let dir: string;
  let backend: Backend;
  let agent: Program;
  let agentUrl: string;
  let api: ApiClient;
  let browser: Browser;
  let page: Page;

  const startPrograms = async (): Promise<void> => {
    backend = await startBackend(dir);
    const args = ['--name', 'web-01', '--subscriptions', 'linux'];
    agent = startAgent(backend, dir, [...args, '--disable-api=false', '--api-port', '0']);
    const { msg } = await agent.line('starting api on address');
    agentUrl = `http://127.0.0.1:${/:(\d+)$/.exec(String(msg))?.[1]}`;
    api = await ApiClient.login(backend.api);
  };
  const stopPrograms = async (): Promise<void> => {
    await browser?.close();
    await agent?.kill('SIGKILL');
    await backend?.program.kill('SIGKILL');
  };

  before(async () => {
    buildPage();
    dir = await mkdtemp(join(tmpdir(), 'mon-page-'));
    await startPrograms();
    await says('DISK OK - 41% used', 0);
    await api.post(inDefault('handlers'), {
      type: 'pipe',
      command: 'cat',
      filters: ['is_incident', 'not_silenced'],
      metadata: { name: 'alerts', namespace: 'default' },
    });
    await api.post(inDefault('checks'), {
      command: `cat '${join(dir, 'output')}'; exit $(cat '${join(dir, 'status')}')`,
      interval: 3_600,
      publish: true,
      subscriptions: ['linux'],
      handlers: ['alerts'],
      metadata: { name: 'disk', namespace: 'default' },
    });
    await eventually('the entity', async () => (await api.call('GET', inDefault('entities/web-01'))).ok);
    browser = await launchBrowser();
    page = await openPage(browser, backend.api, complaints);
  });
  after(async () => {
    await stopPrograms();
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  });

  /** What the check will say when the agent runs it next. */
  const says = async (output: string, status: number): Promise<void> => {
    await writeFile(join(dir, 'output'), `${output}\n`);
    await writeFile(join(dir, 'status'), String(status));
  };
  const runCheck = (): Promise<void> =>
    api.post(inDefault('checks/disk/execute'), { check: 'disk', subscriptions: ['linux'] });
  const eventOf = async (check: string): Promise<SeenEvent | undefined> => {
    const response = await api.call('GET', inDefault(`events/web-01/${check}`));
    return response.ok ? ((await response.json()) as SeenEvent) : undefined;
  };
  /** A job that reports by itself, through its agent, and has promised to do so again. */
  const reportBackup = async (): Promise<void> => {
    const check = { metadata: { name: 'backup' }, output: 'backup done', status: 0, ttl: ttlSeconds };
    const body = JSON.stringify({ check: { ...check, interval: 1 } });
    const response = await fetch(`${agentUrl}/events`, { method: 'POST', body });
    assert.equal(response.status, 202, await response.text());
  };
  const row = (check: string) => page.locator('.events li', { hasText: check });
  const active = (state: string) => page.locator(`.state.active[data-state="check.${state}"]`);

  test('logs in and sees a check turn red without reloading', async () => {
    await runCheck();
    await eventually('the first result', () => eventOf('disk'));
    await page.goto(`${backend.api}/ui/`);
    await page.fill('input[name=user]', 'admin');
    await page.fill('input[name=password]', adminPassword);
    await page.click('button[type=submit]');
    await page.getByText('Nothing needs attention.').waitFor();
    await says('DISK CRITICAL - 97% used', 2);
    await runCheck();
    await page.locator('.new-bar').click();
    await row('disk').getByText('DISK CRITICAL - 97% used').waitFor();
  });

  test('opens it, reads who was told, and sees its statechart in the state it is in', async () => {
    await row('disk').locator('.what').click();
    await active('result.failing').waitFor();
    await page.locator('.workflow summary', { hasText: 'alerts' }).getByText('handled').waitFor();
    await page.locator('.step', { hasText: 'is_incident' }).getByText('allowed').waitFor();
  });

  test('asks what would happen if the disk were well again, and nothing moves', async () => {
    await page.getByText('open actor').click();
    await page.locator('.event-button', { hasText: 'result.received' }).click();
    await page.locator('.candidates li.taken', { hasText: 'isPassing' }).waitFor();
    await active('result.passing').waitFor();
    assert.equal((await eventOf('disk'))?.check.status, 2, 'a dry run changed the event');
    await page.getByText('Back to live').click();
    await active('result.failing').waitFor();
  });

  test('silences it from the list, for a reason, and it needs no attention any more', async () => {
    await page.goto(`${backend.api}/ui/n/default/events`);
    await row('disk').waitFor();
    await page.keyboard.press('s');
    await page.getByText('Covers 1 event on 1 entity now').waitFor();
    await page.getByLabel('Reason').fill('new disk is ordered');
    await page.locator('dialog button[type=submit]').click();
    await page.getByText('Nothing needs attention.').waitFor();
    const silences = await api.get<{ reason: string; creator: string }[]>(inDefault('silenced'));
    assert.deepEqual(
      silences.map(({ reason, creator }) => [reason, creator]),
      [['new disk is ordered', 'admin']],
    );
  });

  test('has it run again and reads which filter dropped the result, and why', async () => {
    await page.goto(`${backend.api}/ui/n/default/events/web-01/disk`);
    await active('result.failing').waitFor();
    await page.keyboard.press('r');
    const step = page.locator('.step', { hasText: 'not_silenced' });
    await step.getByText('denied').waitFor();
    await step.getByText('entity:web-01:disk').waitFor();
  });

  test('watches a deadline run out: a job that stopped reporting goes from waiting to expired', async () => {
    await reportBackup();
    await eventually('the report', () => eventOf('backup'));
    await page.goto(`${backend.api}/ui/n/default/events/web-01/backup`);
    await page.locator('.live-dot.on').waitFor();
    await reportBackup();
    await active('ttl.waiting').waitFor();
    await page.locator('.ring .time').first().waitFor();
    await active('ttl.expired').waitFor();
    await page.locator('.transitions li', { hasText: 'ttl.expired' }).first().waitFor();
    await page.locator('.summary', { hasText: 'warning' }).waitFor();
  });

  test('sees that the agent is alive and connected, and what it runs on', async () => {
    await page.goto(`${backend.api}/ui/n/default/entities/web-01`);
    await page.locator('.keepalive svg').waitFor();
    await page.locator('.panel', { hasText: 'Session' }).getByText('active').waitFor();
    await page.locator('.panel', { hasText: 'System' }).getByText('host name').waitFor();
    await page.locator('.state.active[data-state="entity.registered"]').waitFor();
  });

  test('follows the messages between the agent, its checks and the pipelines', async () => {
    await page.goto(`${backend.api}/ui/actor/${encodeURIComponent('check:default/web-01/disk')}?as=sequence`);
    await page.locator('.lane-head', { hasText: 'web-01/disk' }).waitFor();
    await page.locator('.sequence.watching').waitFor();
    await runCheck();
    await page.locator('.told', { hasText: 'result.received' }).first().waitFor();
    await page.locator('.told', { hasText: 'deliver' }).first().waitFor();
  });

  test('makes a login provider, is told what is wrong with it, and does not overwrite one that is there', async () => {
    await page.goto(`${backend.api}/ui/n/default/config/authproviders?new=1`);
    const editor = page.getByLabel('login provider as JSON');
    const create = page.getByRole('button', { name: 'Create' });
    await create.click();
    await page.locator('.complaint', { hasText: 'metadata.name must be given' }).waitFor();
    const provider = JSON.parse(await editor.inputValue());
    provider.metadata.name = 'issuer';
    await editor.fill(JSON.stringify(provider));
    await create.click();
    await page.locator('.complaint', { hasText: /client_id|server/ }).waitFor();
    provider.spec = {
      ...provider.spec,
      client_id: 'mon',
      client_secret: 'x',
      server: 'https://issuer.example',
    };
    await editor.fill(JSON.stringify(provider));
    await create.click();
    await page.locator('h1', { hasText: 'issuer' }).waitFor();
    await page.goto(`${backend.api}/ui/n/default/config/authproviders?new=1`);
    await editor.fill(JSON.stringify(provider));
    await create.click();
    await page.locator('.complaint').waitFor();
    const removed = await api.call('DELETE', '/api/enterprise/authentication/v2/authproviders/issuer');
    assert.equal(removed.status, 204);
  });

  test('logs in at an issuer and lands where the link pointed', async (t) => {
    const issuer = await startIssuer(t);
    const spec = {
      client_id: issuer.clientId,
      client_secret: issuer.clientSecret,
      server: issuer.url,
      username_claim: 'preferred_username',
      groups_claim: 'groups',
      allowed_groups: ['cluster-admins'],
    };
    issuer.claims = { sub: 'subject-1', preferred_username: 'ada', groups: ['cluster-admins'] };
    const put = await api.call('PUT', '/api/enterprise/authentication/v2/authproviders/company', {
      type: 'oidc',
      api_version: 'authentication/v2',
      metadata: { name: 'company' },
      spec,
    });
    assert.ok(put.ok, await put.text());
    const stranger = await browser.newPage();
    await stranger.goto(`${backend.api}/ui/n/default/silences`);
    await stranger.getByText('Log in with company').click();
    await stranger.locator('.silences').getByText('new disk is ordered').waitFor();
    await stranger.getByText('ada · log out').waitFor();
    assert.equal(stranger.url(), `${backend.api}/ui/n/default/silences`, 'a token stays in the address');

    issuer.signWithAnotherKey = true;
    await stranger.getByText('ada · log out').click();
    await stranger.getByText('Log in with company').click();
    await stranger.locator('.login .problem', { hasText: 'the issuer rejected the login' }).waitFor();
    assert.doesNotMatch(stranger.url(), /#/, 'the refusal stays in the address');
  });

  test('nothing was asked of another origin, refused by the policy, or thrown', () => {
    assert.deepEqual(complaints, []);
  });
});
