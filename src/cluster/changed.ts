// The configuration (checks, handlers, silences, users ...) is whole on every backend. Who changes it tells the others what to
// read again, after the commit. The bus may lose that: each backend numbers what it tells and repeats its last number twice a
// second, so who missed something notices, and reads everything.
import { parseGuarded } from '../model/schema/guarded-json.ts';
import type { Bus, BusReport } from './bus.ts';
import type { ClusterClock } from './clock.ts';
import {
  lateWriteMs,
  maxPendingChanges,
  maxReadAgainMs,
  maxRememberedSenders,
  minReadAgainMs,
  newsPulseMs,
} from './limits.ts';

/** A record that was written or deleted. */
export interface Change {
  readonly kind: string;
  readonly key: string;
}

export interface ChangesOptions {
  readonly bus: Bus;
  readonly subject: string;
  readonly clock: ClusterClock;
  /** This backend and its incarnation: numbers begin anew with it. */
  readonly sender: string;
  /** Reads these from the store. One read at a time. */
  readonly read: (changes: readonly Change[]) => Promise<void>;
  /** Reads all of the configuration from the store. */
  readonly readAll: () => Promise<void>;
  readonly report: BusReport;
}

interface News {
  readonly sender: string;
  readonly seq: number;
  /** Absent when the number is only repeated. */
  readonly change?: Change;
}

export class Changes {
  readonly #options: ChangesOptions;
  readonly #unsubscribe: () => void;
  /** The last number of each sender. */
  readonly #heard = new Map<string, number>();
  #seq = 0;
  #stopPulse: (() => void) | undefined;
  #stopRetry: (() => void) | undefined;
  #stopDoubt: (() => void) | undefined;
  #pending: Change[] = [];
  #needsAll = false;
  #isReading = false;
  #retryMs = minReadAgainMs;
  #isClosed = false;

  constructor(options: ChangesOptions) {
    this.#options = options;
    this.#unsubscribe = options.bus.subscribe(options.subject, ({ data }) => this.#received(data));
    this.#pulse();
  }

  /** To be called after the commit. Never throws. */
  tell(change: Change): void {
    this.#seq += 1;
    this.#publish({ sender: this.#options.sender, seq: this.#seq, change });
  }

  /**
   * The outcome of a write is unknown: everybody reads the record now, this backend too, and all of the configuration when the
   * write can't arrive any more.
   */
  doubt(change: Change): void {
    this.tell(change);
    this.#pending.push(change);
    void this.#readNext();
    this.#stopDoubt?.();
    this.#stopDoubt = this.#options.clock.setTimer(() => {
      // A number that is left out is a gap to the others.
      this.#seq += 1;
      this.#publish({ sender: this.#options.sender, seq: this.#seq });
      this.#needsAll = true;
      void this.#readNext();
    }, lateWriteMs);
  }

  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    this.#stopPulse?.();
    this.#stopRetry?.();
    this.#stopDoubt?.();
  }

  #pulse(): void {
    this.#publish({ sender: this.#options.sender, seq: this.#seq });
    this.#stopPulse = this.#options.clock.setTimer(() => this.#pulse(), newsPulseMs);
  }

  #publish(news: News): void {
    const { bus, subject } = this.#options;
    if (bus.status().state === 'connected') bus.publish(subject, Buffer.from(JSON.stringify(news)));
  }

  #received(data: Uint8Array): void {
    const news = readNews(data);
    if (news === undefined)
      return this.#options.report('warn', 'a change told by another backend cannot be read');
    if (news.sender === this.#options.sender) return;
    const last = this.#heard.get(news.sender);
    // It came twice, or late: what it tells was read since, because a gap was noticed.
    if (last !== undefined && news.seq <= last) return;
    this.#remember(news);
    if (news.change !== undefined && news.seq === (last ?? Number.NaN) + 1) this.#pending.push(news.change);
    else this.#needsAll = true;
    if (this.#pending.length > maxPendingChanges) this.#needsAll = true;
    if (this.#needsAll) this.#pending = [];
    void this.#readNext();
  }

  #remember({ sender, seq }: News): void {
    this.#heard.delete(sender);
    this.#heard.set(sender, seq);
    if (this.#heard.size <= maxRememberedSenders) return;
    for (const oldest of this.#heard.keys()) {
      this.#heard.delete(oldest);
      break;
    }
  }

  async #readNext(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    while (!this.#isClosed && (this.#needsAll || this.#pending.length > 0))
      if (!(await this.#readOnce())) break;
    this.#isReading = false;
  }

  /** False when it failed; it is tried again later. */
  async #readOnce(): Promise<boolean> {
    const { read, readAll, report, clock } = this.#options;
    const [isAll, changes] = [this.#needsAll, this.#pending];
    this.#needsAll = false;
    this.#pending = [];
    try {
      await (isAll ? readAll() : read(changes));
      this.#retryMs = minReadAgainMs;
      return true;
    } catch (error) {
      report(
        'warn',
        `a change of the configuration could not be read: ${(error as Error).message}; it is tried again`,
      );
      this.#needsAll = true;
      this.#stopRetry?.();
      this.#stopRetry = clock.setTimer(() => void this.#readNext(), this.#retryMs);
      this.#retryMs = Math.min(maxReadAgainMs, this.#retryMs * 2);
      return false;
    }
  }
}

const readNews = (data: Uint8Array): News | undefined => {
  const parsed = parseGuarded(Buffer.from(data), { maxBytes: data.length });
  const news = parsed.ok ? (parsed.value as Partial<News> | null) : null;
  const isRight = typeof news?.sender === 'string' && Number.isSafeInteger(news.seq);
  return isRight ? (news as News) : undefined;
};
