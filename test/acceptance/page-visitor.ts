// What the tests of the page share: a backend of their own, a browser, somebody who logs in, and events to look at.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { buildPage, launchBrowser, openPage } from '../web/browser.ts';
import { ApiClient, adminPassword, type Backend, inDefault, startBackend } from './programs.ts';

export interface Site {
  readonly dir: string;
  backend: Backend;
  api: ApiClient;
  readonly browser: Browser;
  /** What pages threw or were refused. */
  readonly complaints: string[];
  /** A tab of the same browser: what one knows, the others do. */
  tab(context?: BrowserContext): Promise<Page>;
  context(): Promise<BrowserContext>;
  /** The same store and the same port again, after it was ended. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export const openSite = async (args: readonly string[] = []): Promise<Site> => {
  buildPage();
  const dir = await mkdtemp(join(tmpdir(), 'mon-page-'));
  const backend = await startBackend(join(dir, 'state'), args);
  const browser = await launchBrowser();
  const complaints: string[] = [];
  const viewport = { width: 1440, height: 900 };
  const site: Site = {
    dir,
    backend,
    api: await ApiClient.login(backend.api),
    browser,
    complaints,
    context: () => browser.newContext({ viewport }),
    tab: (context) => openPage(context ?? browser, site.backend.api, complaints, viewport),
    async restart() {
      const { host } = new URL(site.backend.api);
      site.backend = await startBackend(site.backend.stateDir, [...args, '--api-listen-address', host]);
      site.api = await ApiClient.login(site.backend.api);
    },
    async close() {
      await browser.close();
      await site.backend.program.kill('SIGKILL');
      await rm(dir, { recursive: true, force: true, maxRetries: 3 });
    },
  };
  return site;
};

export const logIn = async (page: Page, user = 'admin', password = adminPassword): Promise<void> => {
  await page.fill('input[name=user]', user);
  await page.fill('input[name=password]', password);
  await page.click('button[type=submit]');
  await page.locator('.user').waitFor();
};

/** A result of a check, as somebody posts it. */
export const postEvent = (
  api: ApiClient,
  entity: string,
  check: string,
  status: number,
  more: { readonly check?: object; readonly entity?: object } = {},
): Promise<void> =>
  api.post(inDefault('events'), {
    entity: { entity_class: 'proxy', metadata: { name: entity, namespace: 'default' }, ...more.entity },
    check: {
      metadata: { name: check, namespace: 'default' },
      interval: 60,
      status,
      output: `${check} says ${status}`,
      ...more.check,
    },
  });

/** Makes a user with a cluster role in the namespace `default`. */
export const makeUser = async (
  api: ApiClient,
  username: string,
  password: string,
  role: string,
): Promise<void> => {
  const metadata = { name: `${username}-${role}`, namespace: 'default' };
  const binding = {
    metadata,
    subjects: [{ type: 'User', name: username }],
    role_ref: { type: 'ClusterRole', name: role },
  };
  for (const [path, body] of [
    [`/api/core/v2/users/${username}`, { username, password }],
    [inDefault(`rolebindings/${metadata.name}`), binding],
  ] as const) {
    const reply = await api.call('PUT', path, body);
    assert.ok(reply.ok, `PUT ${path}: ${await reply.text()}`);
  }
};
