// Whole programs for the acceptance tests: starts them as processes on free ports and folders of their own, reads their
// logs, and talks to them the way a stranger would.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { nodeFlagsOf } from '../../src/program/node-flags.ts';

export type LogLine = Record<string, unknown>;

export interface Program {
  readonly process: ChildProcess;
  readonly lines: LogLine[];
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** The first line, past or to come, whose text holds the words. */
  line(words: string, timeoutMs?: number): Promise<LogLine>;
  kill(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

export const tempDir = async (use: (dir: string) => Promise<void>): Promise<void> => {
  const dir = await mkdtemp(join(tmpdir(), 'mon-acceptance-'));
  try {
    await use(dir);
  } finally {
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  }
};

const parse = (text: string): LogLine => {
  try {
    return JSON.parse(text);
  } catch {
    return { msg: text };
  }
};

/** `MON_TEST_EXECUTABLES` names a folder of built executables (`npm run package`) to test instead of the scripts. */
const commandOf = (name: string, args: readonly string[]): [file: string, args: string[]] => {
  const executables = process.env.MON_TEST_EXECUTABLES;
  if (executables !== undefined) return [join(executables, name), [...args]];
  const file = `bin/${name}.js`;
  return [process.execPath, [...nodeFlagsOf(file), file, ...args]];
};

export const startProgram = (
  name: 'mon-backend' | 'mon-agent' | 'mon-client',
  args: readonly string[],
  env: Record<string, string> = {},
): Program => {
  const child = spawn(...commandOf(name, args), {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: LogLine[] = [];
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (text) => {
      lines.push(parse(text));
      for (const look of waiting) look();
    });
  }
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const line = (words: string, timeoutMs = 180_000): Promise<LogLine> =>
    new Promise((resolve, reject) => {
      const tail = () =>
        lines
          .slice(-10)
          .map((entry) => JSON.stringify(entry))
          .join('\n');
      const finish = (act: () => void): void => {
        clearTimeout(timer);
        waiting.delete(look);
        act();
      };
      const look = (): void => {
        const found = lines.find((entry) => JSON.stringify(entry).includes(words));
        if (found !== undefined) finish(() => resolve(found));
      };
      const timer = setTimeout(
        () => finish(() => reject(new Error(`${name} did not log "${words}"; its last lines:\n${tail()}`))),
        timeoutMs,
      );
      exited.then(({ code, signal }) => {
        look();
        finish(() =>
          reject(new Error(`${name} ended (${code ?? signal}) without logging "${words}":\n${tail()}`)),
        );
      });
      waiting.add(look);
      look();
    });
  const kill: Program['kill'] = (signal = 'SIGTERM') => {
    child.kill(signal);
    return exited;
  };
  return { process: child, lines, exited, line, kill };
};

export interface Backend {
  readonly program: Program;
  readonly api: string;
  readonly agents: string;
  readonly stateDir: string;
}

export const adminPassword = 'correct-horse-battery';

export const startBackend = async (
  stateDir: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Backend> => {
  const program = startProgram(
    'mon-backend',
    [
      'start',
      '--state-dir',
      stateDir,
      '--api-listen-address',
      '127.0.0.1:0',
      '--agent-host',
      '127.0.0.1',
      '--agent-port',
      '0',
      '--log-level',
      'info',
      ...args,
    ],
    {
      MON_BACKEND_CLUSTER_ADMIN_USERNAME: 'admin',
      MON_BACKEND_CLUSTER_ADMIN_PASSWORD: adminPassword,
      ...env,
    },
  );
  const ready = await program.line('backend is running and ready to accept events');
  return { program, api: String(ready.api), agents: String(ready.agents), stateDir };
};

export const startAgent = (
  backend: Pick<Backend, 'agents'>,
  dir: string,
  args: readonly string[] = [],
): Program =>
  startProgram('mon-agent', [
    'start',
    '--backend-url',
    backend.agents,
    '--cache-dir',
    join(dir, 'agent-cache'),
    '--log-level',
    'info',
    '--disable-api',
    '--disable-sockets',
    '--statsd-disable',
    ...args,
  ]);

/** A client of the HTTP API that logged in as the admin, or has a key. */
export class ApiClient {
  readonly #api: string;
  readonly #authorization: string;

  private constructor(api: string, authorization: string) {
    this.#api = api;
    this.#authorization = authorization;
  }

  static withKey(api: string, key: string): ApiClient {
    return new ApiClient(api, `Key ${key}`);
  }

  static async login(api: string, user = 'admin', password = adminPassword): Promise<ApiClient> {
    const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    const response = await fetch(`${api}/auth`, { headers: { authorization } });
    if (!response.ok) throw new Error(`login answered ${response.status}: ${await response.text()}`);
    const { access_token: token } = (await response.json()) as { access_token: string };
    return new ApiClient(api, `Bearer ${token}`);
  }

  /** With the same login at another backend. */
  at(api: string): ApiClient {
    return new ApiClient(api, this.#authorization);
  }

  call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return fetch(`${this.#api}${path}`, {
      method,
      headers: {
        authorization: this.#authorization,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  }

  async get<T>(path: string): Promise<T> {
    const response = await this.call('GET', path);
    if (!response.ok) throw new Error(`GET ${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  }

  async post(path: string, body: unknown): Promise<void> {
    const response = await this.call('POST', path, body);
    if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${await response.text()}`);
  }
}

export const inDefault = (rest: string): string => `/api/core/v2/namespaces/default/${rest}`;

export { eventually } from '../eventually.ts';

export const readPassword = (stateDir: string): Promise<string> =>
  readFile(join(stateDir, 'initial-admin-password'), 'utf8').then((text) => text.trim());
