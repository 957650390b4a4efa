// A real browser for the tests of the page: headless Chromium, told to call nobody but the backend under test.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { skipWithout } from '../requirements.ts';

const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);

/** What a test of the page takes as its `skip`. */
export const withoutBrowser = skipWithout(
  'chromium',
  chromium === undefined && 'no Chromium is installed (Debian: chromium), the page was not looked at',
);

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** How long the page may take for anything, on the slowest machine that runs the tests. */
const patienceMs = 30_000;

// Its types are for CommonJS only.
const loadPlaywright = (): typeof import('playwright-core') =>
  createRequire(import.meta.url)('playwright-core');

export const launchBrowser = (): Promise<Browser> =>
  loadPlaywright().chromium.launch({ executablePath: chromium ?? '', args: flags });

/** Builds the page if its sources changed since. */
export const buildPage = (): void => {
  const built = spawnSync(process.execPath, ['scripts/build-web.js', '--if-stale'], { encoding: 'utf8' });
  assert.equal(built.status, 0, built.stderr);
};

/** A tab that writes down what it threw, what a policy refused, and every request that left for another origin. */
export const openPage = async (
  browser: Browser | BrowserContext,
  origin: string,
  complaints: string[],
  viewport = { width: 1280, height: 800 },
): Promise<Page> => {
  const page = await ('version' in browser ? browser.newPage({ viewport }) : browser.newPage());
  page.setDefaultTimeout(patienceMs);
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 4(00|01|12)/.test(message.text()))
      complaints.push(`${message.text()} ${message.location().url}`);
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(origin)) complaints.push(`asked another origin: ${request.url()}`);
  });
  return page;
};
