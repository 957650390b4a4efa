// Logins in memory and in the store. In a cluster every change begins with what is stored, and is refused if another backend was
// faster.
import {
  type Committer,
  commitDelete,
  commitPut,
  type RecordBody,
} from '../../actors/resources/committer.ts';
import { maxWriteTries } from '../../actors/resources/limits.ts';
import type { SharedRecords } from '../../actors/resources/shared-records.ts';
import { SerialQueues } from '../../actors/resources/write-order.ts';
import { MonError } from '../../model/errors.ts';
import type { Identity } from './providers/identity.ts';

export interface Login {
  readonly user: string;
  readonly sessionId: string;
  /** The id of the only valid refresh token. */
  readonly refreshId: string;
  readonly expiresAtMs: number;
  /** The identity from a provider; absent for local users. */
  readonly identity?: Identity;
  /** The version of the password used to log in; a password change ends the login. Absent for provider logins. */
  readonly passwordTag?: string;
}

/** `shared` in place of `committer` where several backends write. */
export interface LoginRecords {
  readonly committer: Committer;
  readonly shared?: SharedRecords | undefined;
}

const kind = 'session';
const prefix = 'login/';
const keyOf = (user: string, sessionId: string): string => `${prefix}${user}/${sessionId}`;

const bodyOf = (login: Login): RecordBody => ({
  machine: 'login',
  version: 1,
  deadlines: [],
  state: login,
});

export class LoginStore {
  readonly #committer: Committer;
  readonly #shared: SharedRecords | undefined;
  readonly #queues = new SerialQueues();
  readonly #logins = new Map<string, Login>();
  readonly #ofUser = new Map<string, Set<string>>();

  constructor({ committer, shared }: LoginRecords) {
    this.#committer = committer;
    this.#shared = shared;
  }

  get isShared(): boolean {
    return this.#shared !== undefined;
  }

  /** What is stored; nothing is remembered. */
  async *scan(): AsyncIterable<Login> {
    for await (const { key, record } of (this.#shared ?? this.#committer).scan(kind, { prefix })) {
      if (this.#shared === undefined) this.#committer.seed(kind, key, record.rev);
      yield record.state as Login;
    }
  }

  get(user: string, sessionId: string): Login | undefined {
    return this.#logins.get(keyOf(user, sessionId));
  }

  of(user: string): readonly Login[] {
    return [...(this.#ofUser.get(user) ?? [])].flatMap((key) => this.#logins.get(key) ?? []);
  }

  remember(login: Login): void {
    const key = keyOf(login.user, login.sessionId);
    this.#logins.set(key, login);
    const keys = this.#ofUser.get(login.user) ?? new Set();
    this.#ofUser.set(login.user, keys.add(key));
  }

  #forget(login: Login): void {
    const key = keyOf(login.user, login.sessionId);
    this.#logins.delete(key);
    const keys = this.#ofUser.get(login.user);
    keys?.delete(key);
    if (keys?.size === 0) this.#ofUser.delete(login.user);
  }

  /** In a cluster: one change of a login at a time, with what the other backends made of it. */
  inTurn<T>(user: string, sessionId: string, work: () => Promise<T>): Promise<T> {
    if (this.#shared === undefined) return work();
    const key = keyOf(user, sessionId);
    return this.#queues.run(key, async () => {
      await this.#readNow(key);
      return work();
    });
  }

  /** To be called in its turn. */
  refresh(user: string, sessionId: string): Promise<void> {
    return this.#readNow(keyOf(user, sessionId));
  }

  async readAgain(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#queues.run(key, () => this.#readNow(key));
  }

  async readAllAgain(): Promise<void> {
    if (this.#shared !== undefined) await this.readAgain(await this.#shared.outdated(kind, prefix));
  }

  async #readNow(key: string): Promise<void> {
    const record = await this.#shared?.read({ kind, key });
    const before = this.#logins.get(key);
    if (record !== undefined) this.remember(record.state as Login);
    else if (before !== undefined) this.#forget(before);
  }

  /**
   * False if another backend changed the login meanwhile. A login does not wait for disk space, since users must be able to log
   * in when the disk is full. It is valid in memory and the writer keeps retrying; only a restart before that loses it. The
   * writer's fault channel reports the full disk.
   */
  async save(login: Login): Promise<boolean> {
    const [key, body] = [keyOf(login.user, login.sessionId), bodyOf(login)];
    try {
      if (this.#shared !== undefined) return await this.#shared.write({ kind, key, body });
      await commitPut(this.#committer, kind, key, body);
      return true;
    } catch (error) {
      if (!(error instanceof MonError && error.kind === 'storeFull')) throw error;
      return true;
    }
  }

  /** After `save` of another form was rejected: the writer retries with the newest form, so give it the one that is valid. */
  takeBack(login: Login): void {
    this.remember(login);
    if (this.#shared === undefined)
      this.#committer.put(kind, keyOf(login.user, login.sessionId), () => bodyOf(login));
  }

  async drop(login: Login): Promise<void> {
    const key = keyOf(login.user, login.sessionId);
    this.#forget(login);
    if (this.#shared === undefined) return commitDelete(this.#committer, kind, key);
    for (let tries = 0; !(await this.#shared.write({ kind, key, body: undefined })); tries += 1) {
      if (tries === maxWriteTries)
        throw new MonError('unavailable', 'other backends keep changing this login: try again');
      await this.#readNow(key);
      if (!this.#logins.has(key)) return;
      this.#forget(login);
    }
  }
}
