// The HTTP API of a real backend process: requests a second for one event read, a hundred listed, one written and
// committed; then a list of 50,000 events, paged, filtered and whole. Run alone with `node dist/test/bench/http.js`.
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { adminPassword, type Backend, startBackend } from '../acceptance/programs.ts';
import { benchEventIndex, benchEventList } from './event-list.ts';

const connections = 16;
const runMs = Number(process.env.MON_BENCH_HTTP_MS ?? 3_000);
const events = Number(process.env.MON_BENCH_HTTP_EVENTS ?? 50_000);
const checksPerEntity = 50;
const pageItems = 500;

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly next: string | undefined;
}

type Ask = (method: string, path: string, body?: string) => Promise<Reply>;

const connectTo = async (backend: Backend): Promise<{ readonly ask: Ask; readonly close: () => void }> => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port } = new URL(backend.api);
  const raw = (method: string, path: string, headers: object, body = ''): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const options = { hostname, port, path, method, agent };
      const length = { 'content-length': Buffer.byteLength(body) };
      const asked = request(
        { ...options, headers: { ...headers, ...(body === '' ? {} : length) } },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('end', () => {
            const next = answer.headers['mon-continue'];
            const text = Buffer.concat(chunks).toString();
            resolve({
              status: answer.statusCode ?? 0,
              text,
              next: typeof next === 'string' ? next : undefined,
            });
          });
        },
      );
      asked.on('error', reject);
      asked.end(body);
    });
  const basic = Buffer.from(`admin:${adminPassword}`).toString('base64');
  const login = await raw('GET', '/auth', { authorization: `Basic ${basic}` });
  const { access_token: token } = JSON.parse(login.text) as { access_token: string };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return {
    ask: (method, path, body) => raw(method, path, headers, body),
    close: () => agent.destroy(),
  };
};

const base = '/api/core/v2/namespaces/default/events';

const eventAt = (at: number, status = at % 1_000 === 0 ? 2 : 0): string => {
  const entity = `host-${String(Math.floor(at / checksPerEntity)).padStart(5, '0')}`;
  return JSON.stringify({
    entity: { entity_class: 'proxy', metadata: { name: entity, namespace: 'default' } },
    check: {
      metadata: { name: `check-${String(at % checksPerEntity).padStart(2, '0')}`, namespace: 'default' },
      interval: 60,
      status,
      output: `output of check ${at}\n`,
    },
  });
};

/** Every connection asks again as soon as it is answered, until `work` says there is no more to do. */
const drive = async (work: () => Promise<void> | null): Promise<void> => {
  const one = async (): Promise<void> => {
    for (let next = work(); next !== null; next = work()) await next;
  };
  await Promise.all(Array.from({ length: connections }, one));
};

const wanted = (reply: Reply, status: number): Reply => {
  if (reply.status !== status) throw new Error(`answered ${reply.status}: ${reply.text.slice(0, 200)}`);
  return reply;
};

const perSecond = async (title: string, send: (at: number) => Promise<void>): Promise<void> => {
  const tookMs: number[] = [];
  let at = 0;
  const begun = performance.now();
  await drive(() => {
    if (performance.now() - begun > runMs) return null;
    const sentMs = performance.now();
    at += 1;
    return send(at).then(() => void tookMs.push(performance.now() - sentMs));
  });
  const seconds = (performance.now() - begun) / 1_000;
  tookMs.sort((a, b) => a - b);
  const quantile = (share: number): string => (tookMs[Math.floor(tookMs.length * share)] ?? 0).toFixed(1);
  const rate = (tookMs.length / seconds).toFixed(0).padStart(6);
  console.log(`  ${title.padEnd(22)} ${rate} requests/s   p50 ${quantile(0.5)} ms  p99 ${quantile(0.99)} ms`);
};

const timed = async (title: string, work: () => Promise<string>): Promise<void> => {
  const begun = performance.now();
  const found = await work();
  console.log(
    `  ${title.padEnd(22)} ${(performance.now() - begun).toFixed(0).padStart(6)} ms           ${found}`,
  );
};

const pages = async (
  ask: Ask,
  query: string,
): Promise<{ items: number; requests: number; longestMs: number }> => {
  let [items, requests, longestMs] = [0, 0, 0];
  let token: string | undefined = '';
  while (token !== undefined) {
    const sentMs = performance.now();
    const reply: Reply = wanted(
      await ask('GET', `${base}?limit=${pageItems}&continue=${token}${query}`),
      200,
    );
    longestMs = Math.max(longestMs, performance.now() - sentMs);
    items += (JSON.parse(reply.text) as unknown[]).length;
    requests += 1;
    token = reply.next;
  }
  return { items, requests, longestMs };
};

const expect = (what: string, found: number, asked: number): void => {
  if (found !== asked) throw new Error(`${what}: ${found} events instead of ${asked}`);
};

const measure = async (ask: Ask): Promise<void> => {
  let at = 0;
  await timed(`write ${events}`, async () => {
    await drive(() =>
      at < events ? ask('POST', base, eventAt(at++)).then((reply) => void wanted(reply, 201)) : null,
    );
    return 'events, one request each';
  });
  const one = `${base}/host-00001/check-01`;
  await perSecond('GET one event', async () => void wanted(await ask('GET', one), 200));
  await perSecond('GET 100 events', async () => void wanted(await ask('GET', `${base}?limit=100`), 200));
  await perSecond(
    'POST an event',
    async (n) => void wanted(await ask('POST', base, eventAt((n * 7) % events)), 201),
  );
  const critical = encodeURIComponent("event.check.status == '2'");
  await timed(`${events} in pages`, async () => {
    const { items, requests, longestMs } = await pages(ask, '');
    expect('in pages', items, events);
    return `${requests} requests, the longest ${longestMs.toFixed(0)} ms`;
  });
  await timed('filtered by a field', async () => {
    const { items, requests } = await pages(ask, `&fieldSelector=${critical}`);
    expect('filtered', items, Math.ceil(events / 1_000));
    return `${items} found in ${requests} requests`;
  });
  await timed('whole, as a stream', async () => {
    const { text } = wanted(await ask('GET', base), 200);
    expect('whole', (JSON.parse(text) as unknown[]).length, events);
    return `${(text.length / 1_048_576).toFixed(0)} MiB`;
  });
  const read = async (path: string): Promise<string> => wanted(await ask('GET', path), 200).text;
  console.log('  the list, worst first, few not passing');
  await benchEventList(read);
  const failing = Math.ceil(events / 10);
  let failed = 0;
  await drive(() =>
    failed < failing
      ? ask('POST', base, eventAt(failed++ * 10, 2)).then((reply) => void wanted(reply, 201))
      : null,
  );
  console.log(`  the list, worst first, ${failing} not passing`);
  await benchEventList(read);
  benchEventIndex();
};

export const benchHttp = async (): Promise<void> => {
  console.log(`HTTP API: one backend process, ${connections} connections, ${events} events in the store`);
  const dir = await mkdtemp(join(tmpdir(), 'mon-bench-'));
  const backend = await startBackend(dir, ['--log-level', 'warn', '--entity-limit', '0'], {});
  try {
    const { ask, close } = await connectTo(backend);
    await measure(ask);
    close();
  } finally {
    await backend.program.kill('SIGKILL');
    await rm(dir, { recursive: true, force: true });
  }
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchHttp();
