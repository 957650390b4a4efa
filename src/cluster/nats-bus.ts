// The bus over NATS core (https://docs.nats.io/reference/reference-protocols/nats-protocol). It reconnects for ever; requests
// that wait for a reply are rejected as soon as the connection breaks.
import {
  connect,
  createInbox,
  errors,
  type Msg,
  type NatsConnection,
  type Status,
  type Subscription,
} from '@nats-io/transport-node';
import { type Bus, BusError, type BusHandler, type BusReport, type BusStatus } from './bus.ts';
import type { ClusterClock } from './clock.ts';
import { Handlers } from './handlers.ts';
import { busConnectMs, busResubscribeMs, maxComplaints } from './limits.ts';
import { type NatsSettings, natsOptions } from './nats-options.ts';
import { openingError, wordsOf } from './nats-words.ts';
import { checkSize } from './payload-size.ts';
import { Requests } from './requests.ts';

export interface NatsBusOptions extends NatsSettings {
  readonly clock: ClusterClock;
  readonly report: BusReport;
}

/** A subscription as it is wished for; the server may refuse it for a while. */
interface Wish {
  readonly subject: string;
  readonly handler: BusHandler;
  live: Subscription | undefined;
}

/** Without a connection or with refused credentials it rejects with a BusError that says what to do. */
export const openNatsBus = async (options: NatsBusOptions): Promise<Bus> => {
  const connectionOptions = natsOptions(options, options.report);
  const servers = [connectionOptions.servers ?? []].flat().join(', ');
  const connection = await connect(connectionOptions).catch((error: unknown) => {
    throw openingError(servers, error);
  });
  const bus = new NatsBus(connection, options);
  await bus.begin();
  return bus;
};

class NatsBus implements Bus {
  readonly #connection: NatsConnection;
  readonly #clock: ClusterClock;
  readonly #report: BusReport;
  readonly #requests: Requests;
  readonly #handlers: Handlers;
  readonly #wishes = new Set<Wish>();
  readonly #listeners = new Set<(state: BusStatus['state']) => void>();
  readonly #inbox = `${createInbox()}.`;
  #state: BusStatus['state'] = 'connected';
  #maxPayloadBytes: number;
  #reconnects = 0;
  #dropped = 0;
  #stopRetry: (() => void) | undefined;
  #drained: Promise<void> | undefined;
  /** What was reported since the last reconnect. */
  readonly #complaints = new Set<string>();
  /** What the server refused during the start. */
  #refusal: string | undefined;

  constructor(connection: NatsConnection, { clock, report }: NatsBusOptions) {
    this.#connection = connection;
    this.#clock = clock;
    this.#report = report;
    this.#requests = new Requests(clock);
    this.#handlers = new Handlers(report);
    this.#maxPayloadBytes = connection.info?.max_payload ?? 1_048_576;
  }

  /** Makes sure that replies can arrive: rejects with a BusError where the server forbids it. */
  async begin(): Promise<void> {
    void this.#follow();
    this.#connection.subscribe(`${this.#inbox}*`, {
      callback: (error, message) => {
        if (error instanceof errors.PermissionViolationError) this.#refusal = wordsOf(error);
        else if (error === null) this.#settle(message);
      },
    });
    await this.#flush(busConnectMs);
    if (this.#refusal === undefined) return;
    await this.drain(0);
    throw new BusError('invalid', this.#refusal);
  }

  get maxPayloadBytes(): number {
    return this.#maxPayloadBytes;
  }

  publish(subject: string, data: Uint8Array): void {
    this.#check(subject, data);
    if (this.#state === 'connected') this.#connection.publish(subject, data);
    else this.#dropped += 1;
  }

  async request(subject: string, data: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    this.#check(subject, data);
    if (this.#state !== 'connected')
      throw new BusError('disconnected', `${subject}: there is no connection to the NATS server`);
    return this.#requests.open(subject, timeoutMs, (token) =>
      this.#connection.publish(subject, data, { reply: `${this.#inbox}${token}` }),
    );
  }

  subscribe(subject: string, handler: BusHandler): () => void {
    if (this.#drained !== undefined) throw new BusError('closed', 'the bus was closed');
    const wish: Wish = { subject, handler, live: undefined };
    this.#wishes.add(wish);
    this.#attach(wish);
    return () => {
      this.#wishes.delete(wish);
      wish.live?.unsubscribe();
    };
  }

  status(): BusStatus {
    const [reconnects, dropped] = [this.#reconnects, this.#dropped];
    return { state: this.#state, server: this.#connection.getServer(), reconnects, dropped };
  }

  onState(listener: (state: BusStatus['state']) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  drain(withinMs: number): Promise<void> {
    this.#drained ??= this.#close(withinMs);
    return this.#drained;
  }

  async #close(withinMs: number): Promise<void> {
    const untilMs = this.#clock.monotonicMs() + withinMs;
    const leftMs = (): number => Math.max(0, untilMs - this.#clock.monotonicMs());
    this.#stopRetry?.();
    await this.#within(leftMs(), this.#drainSubscriptions());
    await this.#handlers.idle(this.#clock, leftMs());
    await this.#flush(leftMs());
    this.#enter('closed');
    this.#requests.failAll('closed', 'the bus was closed');
    await this.#connection.close();
  }

  /** Resolves when what the server sent before it heard of the end is with the handlers. */
  async #drainSubscriptions(): Promise<void> {
    const live = [...this.#wishes].flatMap((wish) => wish.live ?? []);
    this.#wishes.clear();
    await Promise.allSettled(live.map((subscription) => subscription.drain()));
  }

  /** Resolves when the server has read everything that was sent, or when the time is up. */
  #flush(withinMs: number): Promise<void> {
    return this.#within(withinMs, this.#connection.flush());
  }

  /** Without a connection nothing is waited for: it would last until there is one again. */
  async #within(withinMs: number, work: Promise<void>): Promise<void> {
    const settled = work.catch(() => {});
    if (this.#state !== 'connected') return;
    let stopTimer = (): void => {};
    const late = new Promise<void>((resolve) => {
      stopTimer = this.#clock.setTimer(resolve, withinMs);
    });
    await Promise.race([settled, late]);
    stopTimer();
  }

  #attach(wish: Wish): void {
    wish.live = this.#connection.subscribe(wish.subject, {
      callback: (error, message) => {
        if (error === null) this.#handlers.run(wish.handler, this.#messageOf(message));
        else this.#refused(wish);
      },
    });
  }

  /** The client gives up a subscription that the server refused. The operator may allow it later. */
  #refused(wish: Wish): void {
    wish.live = undefined;
    this.#stopRetry ??= this.#clock.setTimer(() => {
      this.#stopRetry = undefined;
      this.#attachMissing();
    }, busResubscribeMs);
  }

  #attachMissing(): void {
    for (const wish of this.#wishes) if (wish.live === undefined) this.#attach(wish);
  }

  #messageOf(message: Msg) {
    const { subject, data, reply } = message;
    return { subject, data, respond: (answer: Uint8Array) => this.#respond(reply, answer) };
  }

  #respond(reply: string | undefined, data: Uint8Array): void {
    if (reply === undefined || reply === '') return;
    if (this.#state === 'connected' && data.length <= this.#maxPayloadBytes)
      this.#connection.publish(reply, data);
    else this.#dropped += 1;
  }

  #settle({ subject, data, headers }: Msg): void {
    const token = subject.slice(this.#inbox.length);
    if (data.length === 0 && headers?.code === 503) this.#requests.nobodyListens(token);
    else this.#requests.settle(token, data);
  }

  #check(subject: string, data: Uint8Array): void {
    if (this.#state === 'closed') throw new BusError('closed', 'the bus was closed');
    checkSize(subject, data, this.#maxPayloadBytes);
  }

  async #follow(): Promise<void> {
    for await (const status of this.#connection.status()) this.#heard(status);
  }

  #heard(status: Status): void {
    if (status.type === 'disconnect') this.#lost();
    else if (status.type === 'reconnect') this.#back();
    else if (status.type === 'error') this.#complained(status.error);
    else if (status.type === 'ldm')
      this.#report('info', `the NATS server ${status.server} is about to stop; another one is used then`);
  }

  #lost(): void {
    if (this.#state !== 'connected') return;
    this.#reconnects += 1;
    this.#report('warn', `the connection to the NATS server ${this.#connection.getServer()} broke`);
    this.#enter('reconnecting');
    this.#requests.failAll('disconnected', 'the connection to the NATS server broke');
  }

  #back(): void {
    if (this.#state !== 'reconnecting') return;
    this.#maxPayloadBytes = this.#connection.info?.max_payload ?? this.#maxPayloadBytes;
    this.#report('info', `connected to the NATS server ${this.#connection.getServer()} again`);
    this.#complaints.clear();
    this.#attachMissing();
    this.#enter('connected');
  }

  /** What comes again, such as a subscription that is refused every time, is reported once until the next reconnect. */
  #complained(error: Error): void {
    const words = wordsOf(error);
    if (!this.#complaints.has(words) && this.#complaints.size < maxComplaints) {
      this.#complaints.add(words);
      this.#report('warn', words);
    }
    if (error instanceof errors.PermissionViolationError && error.operation === 'publish')
      this.#requests.failAll('forbidden', words, (subject) => subject === error.subject);
  }

  #enter(state: BusStatus['state']): void {
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }
}
