// The configuration file of mon-ctl: one JSON file with several contexts, of which one is current. It holds tokens, so the
// file is 0600 and its folder 0700; it is replaced in one step, and a lock keeps two commands from renewing one token twice.

import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isObject } from '../../model/schema/is-object.ts';
import { CtlError } from '../failure.ts';
import { lockRetryMs, lockStaleMs } from '../limits.ts';

/** What one context keeps. Keys are those of the file. */
export interface SavedContext {
  readonly api_url?: string;
  readonly namespace?: string;
  readonly format?: string;
  /** A duration such as `15s`. */
  readonly timeout?: string;
  readonly trusted_ca_file?: string;
  readonly insecure_skip_tls_verify?: boolean;
  readonly api_key?: string;
  readonly access_token?: string;
  /** Seconds since the epoch. */
  readonly expires_at?: number;
  readonly refresh_token?: string;
}

export interface ConfigFile {
  readonly current: string;
  readonly contexts: Readonly<Record<string, SavedContext>>;
}

const defaultContext = 'default';
const empty: ConfigFile = { current: defaultContext, contexts: {} };

const types: Readonly<Record<keyof SavedContext, 'string' | 'boolean' | 'number'>> = {
  api_url: 'string',
  namespace: 'string',
  format: 'string',
  timeout: 'string',
  trusted_ca_file: 'string',
  insecure_skip_tls_verify: 'boolean',
  api_key: 'string',
  access_token: 'string',
  expires_at: 'number',
  refresh_token: 'string',
};

const parse = (text: string, path: string): ConfigFile => {
  const refuse = (why: string): never => {
    throw new CtlError(`${path}: ${why}; correct the file, or remove it and run "mon-ctl configure"`);
  };
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (error) {
    return refuse(`it is not valid JSON (${(error as Error).message})`);
  }
  if (!isObject(raw) || !isObject(raw.contexts) || typeof raw.current !== 'string')
    return refuse('it must be an object with "current" and "contexts"');
  for (const [name, context] of Object.entries(raw.contexts)) {
    if (!isObject(context)) return refuse(`contexts.${name} must be an object`);
    for (const [key, type] of Object.entries(types)) {
      const value = context[key];
      if (value !== undefined && typeof value !== type)
        return refuse(`contexts.${name}.${key} must be a ${type}`);
    }
  }
  return raw as unknown as ConfigFile;
};

/** Where the file stands unless --config-dir says otherwise. */
export const defaultConfigDir = (env: Readonly<Record<string, string | undefined>>, home: string): string =>
  process.platform === 'win32'
    ? join(env.APPDATA ?? join(home, 'AppData', 'Roaming'), 'mon', 'mon-ctl')
    : join(env.XDG_CONFIG_HOME || join(home, '.config'), 'mon', 'mon-ctl');

export class ConfigStore {
  readonly path: string;
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
    this.path = join(dir, 'config.json');
  }

  /** Empty when there is no file yet. Throws with the path and the reason when it can't be used. */
  async read(): Promise<ConfigFile> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return empty;
      throw new CtlError(`unable to read ${this.path}: ${(error as Error).message}`);
    }
    return parse(text, this.path);
  }

  /** Changes one context; the others stay as they are on disk, whatever another mon-ctl wrote meanwhile. */
  update(name: string, change: (context: SavedContext) => SavedContext): Promise<void> {
    return this.locked(() => this.change(name, change));
  }

  /** For those who hold the lock already. */
  async change(name: string, change: (context: SavedContext) => SavedContext): Promise<void> {
    const file = await this.read();
    await this.#write({
      ...file,
      contexts: { ...file.contexts, [name]: change(file.contexts[name] ?? {}) },
    });
  }

  use(name: string): Promise<void> {
    return this.locked(async () => {
      const file = await this.read();
      if (!Object.hasOwn(file.contexts, name))
        throw new CtlError(
          `there is no context "${name}": known are ${Object.keys(file.contexts).join(', ') || 'none'}`,
        );
      await this.#write({ ...file, current: name });
    });
  }

  remove(name: string): Promise<void> {
    return this.locked(async () => {
      const { current, contexts } = await this.read();
      if (!Object.hasOwn(contexts, name)) throw new CtlError(`there is no context "${name}"`);
      const { [name]: _removed, ...left } = contexts;
      await this.#write({
        current: current === name ? (Object.keys(left)[0] ?? defaultContext) : current,
        contexts: left,
      });
    });
  }

  /** Runs alone among all mon-ctl of this folder. */
  async locked<T>(work: () => Promise<T>): Promise<T> {
    const lock = `${this.path}.lock`;
    await this.#makeDir();
    while (!(await this.#take(lock))) await delay(lockRetryMs);
    try {
      return await work();
    } finally {
      await rm(lock, { force: true });
    }
  }

  async #take(lock: string): Promise<boolean> {
    try {
      await (await open(lock, 'wx', 0o600)).close();
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
        throw new CtlError(`unable to write to ${this.#dir}: ${(error as Error).message}`);
      const found = await stat(lock).catch(() => undefined);
      if (found !== undefined && Date.now() - found.mtimeMs > lockStaleMs) await rm(lock, { force: true });
      return false;
    }
  }

  async #makeDir(): Promise<void> {
    try {
      await mkdir(this.#dir, { recursive: true, mode: 0o700 });
      // A folder that was there may be open to others; the tokens in it are not theirs.
      if (((await stat(this.#dir)).mode & 0o077) !== 0) await chmod(this.#dir, 0o700);
    } catch (error) {
      throw new CtlError(`unable to use the folder ${this.#dir}: ${(error as Error).message}`);
    }
  }

  async #write(file: ConfigFile): Promise<void> {
    const next = `${this.path}.${process.pid}.new`;
    try {
      const handle = await open(next, 'w', 0o600);
      try {
        await handle.writeFile(`${JSON.stringify(file, null, 2)}\n`);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(next, this.path);
    } catch (error) {
      await rm(next, { force: true });
      throw new CtlError(`unable to write ${this.path}: ${(error as Error).message}`);
    }
  }
}
