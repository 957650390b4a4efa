// A bus between backends of one process, for tests and simulation. Time and chance come from outside, so a run with its faults
// can be repeated. Like a real server it says when nobody listens, and loses what is on its way when a connection breaks.
import { type Bus, BusError, type BusHandler, type BusReport, type BusStatus } from './bus.ts';
import type { ClusterClock } from './clock.ts';
import { Handlers } from './handlers.ts';
import { checkSize } from './payload-size.ts';
import { Requests } from './requests.ts';
import { matchesSubject } from './subjects.ts';

/** What happens to messages on their way. Probabilities from 0 to 1. */
export interface BusFaults {
  readonly lost: number;
  readonly doubled: number;
  /** Each copy takes a random time up to this; those that take longer are overtaken. 0: in order. */
  readonly maxDelayMs: number;
}

export interface MemoryBusOptions {
  readonly clock: ClusterClock;
  /** Numbers in [0, 1). */
  readonly random: () => number;
  readonly maxPayloadBytes?: number;
  readonly report?: BusReport;
}

const noFaults: BusFaults = { lost: 0, doubled: 0, maxDelayMs: 0 };
const defaultMaxPayloadBytes = 1_048_576;

interface Subscription {
  readonly pattern: string;
  readonly handler: BusHandler;
}

/** The server: connect each backend to it, then break what should break. */
export class MemoryBusServer {
  readonly options: MemoryBusOptions;
  readonly #clients = new Set<MemoryBus>();
  faults: BusFaults = noFaults;
  #isUp = true;

  constructor(options: MemoryBusOptions) {
    this.options = options;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  connect(name: string): MemoryBus {
    const client = new MemoryBus(this, name);
    this.#clients.add(client);
    return client;
  }

  /** Every connection breaks; what is on its way is lost. */
  stop(): void {
    this.#isUp = false;
    for (const client of this.#clients) client.cut();
  }

  start(): void {
    this.#isUp = true;
    for (const client of this.#clients) client.mend();
  }

  leave(client: MemoryBus): void {
    this.#clients.delete(client);
  }

  /** From a client to all that listen. False when nobody does. */
  carry(subject: string, data: Uint8Array, reply: string | undefined): boolean {
    const listening = [...this.#clients].filter((client) => client.listensTo(subject));
    for (const client of listening) this.#send(client, subject, data, reply);
    return listening.length > 0;
  }

  #send(client: MemoryBus, subject: string, data: Uint8Array, reply: string | undefined): void {
    const { clock, random } = this.options;
    const { lost, doubled, maxDelayMs } = this.faults;
    // Every message draws the same number of times, so that one fault more or less does not change all that follow.
    const [isLost, isDoubled, delays] = [random() < lost, random() < doubled, [random(), random()]];
    if (isLost) return;
    const { connection } = client;
    for (const part of isDoubled ? delays : delays.slice(0, 1))
      clock.setTimer(() => {
        if (client.connection === connection) client.receive(subject, data, reply);
      }, part * maxDelayMs);
  }
}

class MemoryBus implements Bus {
  readonly #server: MemoryBusServer;
  readonly #name: string;
  readonly #subscriptions = new Set<Subscription>();
  readonly #listeners = new Set<(state: BusStatus['state']) => void>();
  readonly #requests: Requests;
  readonly #handlers: Handlers;
  #state: BusStatus['state'];
  #dropped = 0;
  #reconnects = 0;
  /** Grows with every break: what was sent over an earlier connection never arrives. */
  connection = 0;

  constructor(server: MemoryBusServer, name: string) {
    this.#server = server;
    this.#name = name;
    this.#requests = new Requests(server.options.clock);
    this.#handlers = new Handlers(server.options.report ?? (() => {}));
    this.#state = server.isUp ? 'connected' : 'reconnecting';
  }

  get maxPayloadBytes(): number {
    return this.#server.options.maxPayloadBytes ?? defaultMaxPayloadBytes;
  }

  publish(subject: string, data: Uint8Array): void {
    this.#check(subject, data);
    if (this.#state === 'connected') this.#server.carry(subject, data, undefined);
    else this.#dropped += 1;
  }

  async request(subject: string, data: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    this.#check(subject, data);
    if (this.#state !== 'connected') throw new BusError('disconnected', `${subject}: there is no connection`);
    return this.#requests.open(subject, timeoutMs, (token) => {
      if (!this.#server.carry(subject, data, `${this.#inbox}${token}`))
        this.#server.options.clock.setTimer(() => this.#requests.nobodyListens(token), 0);
    });
  }

  subscribe(pattern: string, handler: BusHandler): () => void {
    const subscription = { pattern, handler };
    this.#subscriptions.add(subscription);
    return () => this.#subscriptions.delete(subscription);
  }

  status(): BusStatus {
    const [reconnects, dropped] = [this.#reconnects, this.#dropped];
    return { state: this.#state, server: 'memory', reconnects, dropped };
  }

  onState(listener: (state: BusStatus['state']) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async drain(withinMs: number): Promise<void> {
    if (this.#state === 'closed') return;
    this.#subscriptions.clear();
    await this.#handlers.idle(this.#server.options.clock, withinMs);
    this.#server.leave(this);
    this.#enter('closed');
    this.#requests.failAll('closed', 'the bus was closed');
  }

  /** The connection breaks, for this one alone. */
  cut(): void {
    if (this.#state !== 'connected') return;
    this.connection += 1;
    this.#reconnects += 1;
    this.#enter('reconnecting');
    this.#requests.failAll('disconnected', 'the connection broke');
  }

  mend(): void {
    if (this.#state === 'reconnecting') this.#enter('connected');
  }

  listensTo(subject: string): boolean {
    if (this.#state !== 'connected') return false;
    if (subject.startsWith(this.#inbox)) return true;
    return [...this.#subscriptions].some(({ pattern }) => matchesSubject(pattern, subject));
  }

  receive(subject: string, data: Uint8Array, reply: string | undefined): void {
    if (subject.startsWith(this.#inbox))
      return this.#requests.settle(subject.slice(this.#inbox.length), data);
    for (const { pattern, handler } of this.#subscriptions)
      if (matchesSubject(pattern, subject))
        this.#handlers.run(handler, {
          subject,
          data,
          respond: (answer) => this.#respond(reply, answer),
        });
  }

  #respond(reply: string | undefined, data: Uint8Array): void {
    if (reply === undefined) return;
    if (this.#state === 'connected' && data.length <= this.maxPayloadBytes)
      this.#server.carry(reply, data, undefined);
    else this.#dropped += 1;
  }

  get #inbox(): string {
    return `_INBOX.${this.#name}.`;
  }

  #check(subject: string, data: Uint8Array): void {
    if (this.#state === 'closed') throw new BusError('closed', 'the bus was closed');
    checkSize(subject, data, this.maxPayloadBytes);
  }

  #enter(state: BusStatus['state']): void {
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }
}
