// Makes the pictures of docs/images anew: a backend and an agent with an incident, seen in headless Chromium.
// Usage: node scripts/page-images.js [words...]   only pictures whose name holds one of the words;
//        needs `npm run build`, `npm run page` and Chromium
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  ApiClient,
  adminPassword,
  eventually,
  inDefault,
  startAgent,
  startBackend,
} from '../dist/test/acceptance/programs.js';
import { launchBrowser, openPage } from '../dist/test/web/browser.js';
import { smallPng } from './small-png.js';

const images = fileURLToPath(new URL('../docs/images', import.meta.url));
const words = process.argv.slice(2);
const viewport = { width: 1440, height: 900 };
const maxBytes = 120_000;
/** Enough for a chart to fill with transitions, for a line of figures to become one. */
const settleMs = 2_500;
const figuresMs = 15_000;
const check = (name) => `check:default/web-01/${name}`;
const actor = (id) => `/actor/${encodeURIComponent(id)}`;

/** What is already wrong elsewhere, so that the list looks like a list. */
const elsewhere = [
  ['db-01', 'replication', 2, 'REPLICATION CRITICAL - 412 s behind db-02'],
  ['db-01', 'connections', 1, 'CONNECTIONS WARNING - 182 of 200 in use'],
  ['db-02', 'replication', 0, 'REPLICATION OK - 0 s behind'],
  ['cache-01', 'memory', 1, 'MEMORY WARNING - 88% used'],
  ['queue-01', 'depth', 3, 'DEPTH UNKNOWN - connection refused'],
  ['queue-01', 'disk', 0, 'DISK OK - 31% of /var used'],
  ['mail-01', 'tls-expiry', 1, 'CERTIFICATE WARNING - expires in 13 days'],
  ['mail-01', 'smtp', 0, 'SMTP OK - 0.041 s response time'],
  ['web-02', 'http', 2, 'HTTP CRITICAL - 502 Bad Gateway in 0.02 s'],
  ['web-02', 'load', 0, 'LOAD OK - 0.71 per minute'],
];

const setUp = async (api, dir) => {
  const says = async (output, status) => {
    await writeFile(join(dir, 'output'), `${output}\n`);
    await writeFile(join(dir, 'status'), String(status));
  };
  const inNamespace = (name) => ({ name, namespace: 'default' });
  await says('DISK OK - 61% of /var used', 0);
  const filters = ['is_incident', 'not_silenced'];
  const pager = { metadata: inNamespace('pager'), type: 'pipe', command: 'echo paged', filters, timeout: 5 };
  await api.post(inDefault('handlers'), pager);
  const every = (name, command, interval) => ({
    metadata: inNamespace(name),
    command,
    interval,
    ttl: 45,
    publish: true,
    subscriptions: ['linux'],
    handlers: ['pager'],
  });
  await api.post(
    inDefault('checks'),
    every('disk', `cat '${join(dir, 'output')}'; exit $(cat '${join(dir, 'status')}')`, 3),
  );
  await api.post(inDefault('checks'), every('load', 'echo "LOAD OK - 0.42 per minute"', 5));
  await api.post(inDefault('checks'), every('ntp', 'echo "NTP OK - offset 0.8 ms"', 10));
  for (const [entity, name, status, output] of elsewhere)
    for (const past of [0, status === 2 ? 1 : 0, status, status])
      await api.post(inDefault('events'), {
        entity: { entity_class: 'proxy', metadata: inNamespace(entity) },
        check: { metadata: inNamespace(name), interval: 60, status: past, output, handlers: ['pager'] },
      });
  const quiet = {
    subscription: 'entity:mail-01',
    check: 'tls-expiry',
    reason: 'renewal is booked for Monday',
  };
  await api.post(inDefault('silenced'), { metadata: { namespace: 'default' }, ...quiet, expire: 86_400 });
  await eventually('the disk check', async () => (await api.call('GET', inDefault('events/web-01/disk'))).ok);
  await pause(8_000);
  await says('DISK CRITICAL - 97% of /var used\n/var/log/app grew by 4.1 GiB in the last hour', 2);
  await pause(8_000);
};

const dryRun = async (page) => {
  await page.locator('.event-button', { hasText: 'deadline.reached' }).click();
  await page.locator('.outcome', { hasText: 'It would be in' }).waitFor();
};
const heat = (page) => page.getByRole('button', { name: 'Heat' }).click();

const openTree = async (page) => {
  for (const id of ['entities', 'schedules', 'sessions']) await page.getByText(id, { exact: true }).click();
};

/** Name, address below /ui, what is done before the picture is taken, its height where it is another one. */
const pictures = [
  ['events', '/n/default/events'],
  ['event', '/n/default/events/web-01/disk', () => pause(8_000), 1_240],
  ['entity', '/n/default/entities/web-01', undefined, 1_240],
  ['silences', '/n/default/silences'],
  ['config', '/n/default/config'],
  ['actors', '/actors'],
  ['tree', '/actors?as=tree', openTree],
  ['actor', actor(check('disk')), dryRun],
  ['heat', actor(check('disk')), heat],
  ['sequence', `${actor(check('disk'))}?as=sequence`],
  ['machine', '/machine/silence'],
  ['system', '/system', () => pause(figuresMs)],
];

const take = async (page, api, [name, path, act, height]) => {
  await page.setViewportSize({ ...viewport, height: height ?? viewport.height });
  await page.goto(`${api}/ui${path}`);
  await page.locator('main h1').waitFor();
  await pause(settleMs);
  await act?.(page);
  await pause(500);
  const picture = smallPng(await page.screenshot());
  await writeFile(join(images, `${name}.png`), picture);
  const isLarge = picture.length > maxBytes;
  console.log(`${name}.png ${Math.round(picture.length / 1000)} kB${isLarge ? ': too large to keep' : ''}`);
  if (isLarge) process.exitCode = 1;
};

const login = async (page, api) => {
  await page.addInitScript("localStorage.setItem('mon.theme', 'dark')");
  await page.goto(`${api}/ui/`);
  await page.fill('input[name=user]', 'admin');
  await page.fill('input[name=password]', adminPassword);
  await page.click('button[type=submit]');
  await page.locator('.rail').waitFor();
};

const main = async () => {
  await mkdir(images, { recursive: true });
  const dir = await mkdtemp(join(tmpdir(), 'mon-images-'));
  const backend = await startBackend(dir);
  const agent = startAgent(backend, dir, ['--name', 'web-01', '--subscriptions', 'linux']);
  const browser = await launchBrowser();
  try {
    await setUp(await ApiClient.login(backend.api), dir);
    const page = await openPage(browser, backend.api, [], viewport);
    await login(page, backend.api);
    const wanted = pictures.filter(
      ([name]) => words.length === 0 || words.some((word) => name.includes(word)),
    );
    for (const picture of wanted) await take(page, backend.api, picture);
  } finally {
    await browser.close();
    await agent.kill();
    await backend.program.kill();
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  }
};

await main();
