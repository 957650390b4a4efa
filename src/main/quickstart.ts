// `npm start`: runs a backend and an agent on this machine with working checks. All files are in `./.mon` and
// reused by the next start. Ctrl-C stops everything. QUICKSTART_HOME, QUICKSTART_API_PORT and QUICKSTART_AGENT_PORT
// change the location; QUICKSTART_QUIET_AGENT disables the agent's own ports.
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { makeFolder } from '../program/folders.ts';
import { createLog } from '../program/log.ts';
import { nodeFlagsOf } from '../program/node-flags.ts';
import { keepPrivate } from '../program/private-files.ts';
import { starterChecks, starterHandler, starterSubscription } from './starter-checks.ts';

const home = resolve(process.env['QUICKSTART_HOME'] ?? '.mon');
const stateDir = `${home}/backend`;
const apiKeyFile = `${home}/api-key`;
const alertsFile = `${home}/alerts.log`;
const apiPort = process.env['QUICKSTART_API_PORT'] ?? '8080';
const agentPort = process.env['QUICKSTART_AGENT_PORT'] ?? '8081';

/** The names used in `.mon`. */
const isOfHome = (name: string): boolean =>
  ['backend', 'agent', 'api-key'].includes(name) || name.endsWith('.log');

const startTimeoutMs = 60_000;
const stopTimeoutMs = 35_000;

const program = (name: string): string => fileURLToPath(new URL(`../../../bin/${name}.js`, import.meta.url));

interface Child {
  readonly name: string;
  readonly process: ChildProcess;
  /** The exit status: `code 1` or `signal SIGKILL`. */
  readonly exited: Promise<string>;
  /** The last log lines. */
  lastWords(): string;
  /** Resolves to the first log line whose message starts with the text. */
  awaitLog(words: string): Promise<Record<string, unknown>>;
}

/** Starts one of our programs; log lines go to a file, and the last ones are kept for error messages. */
const startChild = (name: string, args: readonly string[]): Child => {
  const log = createWriteStream(`${home}/${name}.log`, { flags: 'a', mode: 0o600 });
  const file = program(name);
  const child = spawn(process.execPath, [...nodeFlagsOf(file), file, 'start', ...args], {
    // The IPC channel closes if this process is killed, which stops the child.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  const waiting = new Map<string, (line: Record<string, unknown>) => void>();
  const lastLines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on('line', (line) => {
      log.write(`${line}\n`);
      if (lastLines.push(line) > 8) lastLines.shift();
      for (const [words, found] of waiting) if (line.includes(words)) found(parseLine(line));
    });
  }
  const lastWords = (): string => lastLines.join('\n');
  const exited = new Promise<string>((done) =>
    child.once('exit', (code, signal) => done(signal === null ? `code ${code}` : `signal ${signal}`)),
  );
  const awaitLog = (words: string): Promise<Record<string, unknown>> =>
    new Promise((found, fail) => {
      const timer = setTimeout(() => fail(new Error(`${name} did not log "${words}"`)), startTimeoutMs);
      waiting.set(words, (line) => {
        clearTimeout(timer);
        waiting.delete(words);
        found(line);
      });
      exited.then((how) => {
        clearTimeout(timer);
        fail(new Error(`${name} exited with ${how}. Last log lines:\n${lastWords()}`));
      });
    });
  return { name, process: child, exited, awaitLog, lastWords };
};

const parseLine = (line: string): Record<string, unknown> => {
  try {
    return JSON.parse(line);
  } catch {
    return { msg: line };
  }
};

const stopChild = async (child: Child): Promise<void> => {
  if (child.process.exitCode !== null || child.process.signalCode !== null) return;
  child.process.kill('SIGTERM');
  const timer = setTimeout(() => child.process.kill('SIGKILL'), stopTimeoutMs);
  await child.exited;
  clearTimeout(timer);
};

const request = async (
  url: string,
  init: RequestInit & { headers: Record<string, string> },
): Promise<Response> => {
  const response = await fetch(url, init);
  if (response.ok || response.status === 409) return response;
  throw new Error(
    `${init.method ?? 'GET'} ${url} responded with ${response.status}: ${await response.text()}`,
  );
};

const createOnce = (url: string, authorization: string, body: unknown): Promise<Response> =>
  request(url, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** The admin's API key, created at the first start and stored in `.mon/api-key` for use with curl. */
const apiKey = async (api: string): Promise<string> => {
  const kept = await readFile(apiKeyFile, 'utf8').catch(() => undefined);
  if (kept !== undefined) return kept.trim();
  const password = (await readFile(`${stateDir}/initial-admin-password`, 'utf8')).trim();
  const basic = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
  const login = await request(`${api}/auth`, { headers: { authorization: basic } });
  const { access_token: token } = (await login.json()) as { access_token: string };
  const created = await createOnce(`${api}/api/core/v2/apikeys`, `Bearer ${token}`, { username: 'admin' });
  const key = created.headers.get('location')?.split('/').at(-1);
  if (key === undefined) throw new Error('the backend created an API key without returning it');
  await writeFile(apiKeyFile, `${key}\n`, { mode: 0o600 });
  return key;
};

const createStarters = async (api: string): Promise<void> => {
  // The handler appends to it; created by a shell it would be world-readable.
  await writeFile(alertsFile, '', { flag: 'a', mode: 0o600 });
  const authorization = `Key ${await apiKey(api)}`;
  const base = `${api}/api/core/v2/namespaces/default`;
  await createOnce(`${base}/handlers`, authorization, starterHandler(alertsFile));
  for (const check of starterChecks) await createOnce(`${base}/checks`, authorization, check);
};

const welcome = (api: string): string => `
mon is running.

  dashboard   ${api}/ui/        user: admin   password: cat ${stateDir}/initial-admin-password
  events      curl -s -H "Authorization: Key $(cat ${apiKeyFile})" ${api}/api/core/v2/namespaces/default/events
  alerts      tail -f ${alertsFile}
  logs        ${home}/mon-backend.log, ${home}/mon-agent.log

Checks load, disk and memory run every 10 seconds. Ctrl-C stops everything; the state is kept for the next start.
`;

const run = async (): Promise<number> => {
  makeFolder(stateDir);
  keepPrivate(home, isOfHome, createLog('warn'));
  const children: Child[] = [];
  const interrupted = new Promise<'interrupted'>((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done('interrupted'));
  });
  const stopAll = async (): Promise<void> => {
    for (const child of [...children].reverse()) await stopChild(child);
  };
  try {
    const backend = startChild('mon-backend', [
      '--state-dir',
      stateDir,
      '--cache-dir',
      `${stateDir}/cache`,
      '--api-listen-address',
      `127.0.0.1:${apiPort}`,
      '--agent-host',
      '127.0.0.1',
      '--agent-port',
      agentPort,
      '--log-level',
      'info',
    ]);
    children.push(backend);
    const ready = await Promise.race([
      backend.awaitLog('backend is running and ready to accept events'),
      interrupted,
    ]);
    if (ready === 'interrupted') return 0;
    const api = String(ready['api']);
    const agent = startChild('mon-agent', [
      '--backend-url',
      String(ready['agents']),
      '--cache-dir',
      `${home}/agent`,
      '--subscriptions',
      starterSubscription,
      '--log-level',
      'info',
      ...(process.env['QUICKSTART_QUIET_AGENT'] === undefined
        ? []
        : ['--disable-api', '--disable-sockets', '--statsd-disable']),
    ]);
    children.push(agent);
    // Created only now, so that an agent with this subscription is connected.
    if ((await Promise.race([agent.awaitLog('successfully connected'), interrupted])) === 'interrupted')
      return 0;
    await createStarters(api);
    console.log(welcome(api));
    const ended = await Promise.race([
      interrupted,
      ...children.map(
        async (child) =>
          `${child.name} exited unexpectedly with ${await child.exited}. Last log lines:\n${child.lastWords()}`,
      ),
    ]);
    if (ended === 'interrupted') return 0;
    console.error(`${ended}\n\nSee ${home}/*.log. Acknowledged data is kept: npm start continues with it.`);
    return 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  } finally {
    await stopAll();
  }
};

process.exitCode = await run();
