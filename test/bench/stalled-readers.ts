// Readers of live inspection that stop reading, beside a backend that is busy: what they cost it in memory, and whether
// it keeps them. Memory is the resident set as the kernel counts it. Alone: node dist/test/bench/stalled-readers.js
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { adminPassword, type Backend, startBackend } from '../acceptance/programs.ts';

const readers = 16;
/** As many as one stream shows with all their changes: the most bytes a result. */
const actors = 20;
const busyMs = Number(process.env.MON_BENCH_STALLED_MS ?? 20_000);
const mib = 1_048_576;

const rssOf = (pid: number): number => {
  const found = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(found?.[1]) * 1_024;
};

interface Load {
  readonly requests: number;
  readonly mostRss: number;
}

/** Results that turn red and green again, one after the other on eight connections, as fast as they are taken. */
const keepBusy = async (backend: Backend, authorization: string, pid: number): Promise<Load> => {
  const untilMs = performance.now() + busyMs;
  let sent = 0;
  let mostRss = 0;
  const watch = setInterval(() => {
    mostRss = Math.max(mostRss, rssOf(pid));
  }, 100);
  const post = async (): Promise<void> => {
    while (performance.now() < untilMs) {
      const at = sent;
      sent += 1;
      const reply = await fetch(`${backend.api}/api/core/v2/namespaces/default/events`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({
          entity: {
            entity_class: 'proxy',
            metadata: { name: `host-${(at >> 1) % (actors / 2)}`, namespace: 'default' },
          },
          check: {
            metadata: { name: `check-${at % 2}` },
            interval: 60,
            status: Math.floor(at / actors) % 3,
            output: 'x'.repeat(1_000),
          },
        }),
      });
      if (reply.status !== 201) throw new Error(`answered ${reply.status}: ${await reply.text()}`);
      await reply.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: 8 }, post));
  clearInterval(watch);
  return { requests: sent, mostRss };
};

/** Opens a stream and reads nothing of it, until the returned function is called. */
const stopReading = (url: string, authorization: string): Promise<() => void> =>
  new Promise((resolve, reject) => {
    const asked = get(url, { headers: { authorization }, agent: false }, (response) => {
      response.pause();
      response.on('error', () => {});
      resolve(() => asked.destroy());
    });
    asked.on('error', reject);
  });

export const benchStalledReaders = async (): Promise<void> => {
  const dir = await mkdtemp(join(tmpdir(), 'mon-bench-'));
  const backend = await startBackend(dir, ['--log-level', 'warn', '--entity-limit', '0'], {});
  try {
    const pid = backend.program.process.pid ?? 0;
    const basic = `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`;
    const login = await fetch(`${backend.api}/auth`, { headers: { authorization: basic } });
    const authorization = `Bearer ${((await login.json()) as { access_token: string }).access_token}`;
    await keepBusy(backend, authorization, pid);
    const alone = await keepBusy(backend, authorization, pid);
    const inspect = `${backend.api}/api/inspect/v1`;
    const stalled = await Promise.all(
      Array.from({ length: readers }, (_, at) =>
        stopReading(
          at % 2 === 0 ? `${inspect}/stream?prefix=check:` : `${inspect}/namespaces/default/events/stream`,
          authorization,
        ),
      ),
    );
    const beside = await keepBusy(backend, authorization, pid);
    const system = await fetch(`${inspect}/system`, { headers: { authorization } });
    const { streams: left } = (await system.json()) as { streams: number };
    for (const leave of stalled) leave();
    console.log(
      `  busy without readers: ${alone.requests} events, at most ${(alone.mostRss / mib).toFixed(0)} MiB resident\n` +
        `  busy beside ${readers} streams nobody reads (each second one of ${actors} actors in full): ` +
        `${beside.requests} events, at most ${(beside.mostRss / mib).toFixed(0)} MiB; ` +
        `${left} of ${readers / 2} streams of actors are left`,
    );
  } finally {
    await backend.program.kill('SIGKILL');
    await rm(dir, { recursive: true, force: true });
  }
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchStalledReaders();
