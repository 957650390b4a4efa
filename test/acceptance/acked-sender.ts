// An agent reduced to its promise: it keeps events in flight, remembers which were acknowledged, and sends the others again
// with the same id after a reconnect. Its own books are the history a backend is judged by.
import { randomUUID } from 'node:crypto';
import WebSocket from 'ws';

const basic = `Basic ${Buffer.from('agent:P@ssw0rd!').toString('base64')}`;

export interface Books {
  /** Distinct events handed to the wire at least once, by check. */
  readonly sent: Map<string, number>;
  readonly acked: Map<string, number>;
}

const add = (counts: Map<string, number>, key: string): number => {
  const next = (counts.get(key) ?? 0) + 1;
  counts.set(key, next);
  return next;
};

export class AckedSender {
  readonly agent: string;
  readonly books: Books = { sent: new Map(), acked: new Map() };
  readonly refusals: string[] = [];
  readonly #checks: readonly string[];
  readonly #inFlight: number;
  /** In the order they were first sent. */
  readonly #unacked = new Map<string, { readonly check: string; readonly frame: string }>();
  #socket: WebSocket | undefined;
  #sending = false;
  #turn = 0;

  constructor(agent: string, checks: readonly string[], inFlight: number) {
    this.agent = agent;
    this.#checks = checks;
    this.#inFlight = inFlight;
  }

  get unacked(): number {
    return this.#unacked.size;
  }

  /** Connects, sends again what nobody acknowledged, and (when `fresh`) goes on with new events. */
  async connect(url: string, fresh: boolean): Promise<void> {
    const socket = new WebSocket(url, {
      headers: {
        'Mon-AgentName': this.agent,
        'Mon-Namespace': 'default',
        'Mon-Subscriptions': 'load',
        'Mon-User': 'agent',
        'Mon-Ack': '1',
        Accept: 'application/json',
        Authorization: basic,
      },
    });
    this.#socket = socket;
    this.#sending = fresh;
    socket.on('message', (data: Buffer) => this.#receive(data.toString()));
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    socket.on('error', () => {}); // the backend is killed on purpose
    socket.send(this.#keepalive());
    for (const { frame } of this.#unacked.values()) socket.send(frame);
    this.#fill();
  }

  stopSending(): void {
    this.#sending = false;
  }

  disconnect(): void {
    this.#socket?.terminate();
  }

  #fill(): void {
    while (this.#sending && this.#unacked.size < this.#inFlight) {
      const check = this.#checks[this.#turn % this.#checks.length] ?? 'none';
      this.#turn += 1;
      const id = randomUUID();
      const frame = this.#event(id, check, add(this.books.sent, check));
      this.#unacked.set(id, { check, frame });
      this.#socket?.send(frame);
    }
  }

  #receive(text: string): void {
    if (!text.startsWith('ack\n')) return;
    const ack = JSON.parse(text.slice(4)) as { ids: string[]; refused?: { id: string; message: string }[] };
    for (const id of ack.ids) {
      const entry = this.#unacked.get(id);
      if (entry === undefined) continue;
      this.#unacked.delete(id);
      add(this.books.acked, entry.check);
    }
    for (const { message } of ack.refused ?? []) this.refusals.push(message);
    this.#fill();
  }

  #entity() {
    return {
      entity_class: 'agent',
      subscriptions: ['load', `entity:${this.agent}`],
      metadata: { name: this.agent, namespace: 'default' },
    };
  }

  #keepalive(): string {
    return `keepalive\n${JSON.stringify({
      timestamp: Math.floor(Date.now() / 1000),
      id: randomUUID(),
      sequence: 1,
      entity: this.#entity(),
      check: { interval: 20, timeout: 120, metadata: { name: 'keepalive', namespace: 'default' } },
    })}`;
  }

  #event(id: string, check: string, count: number): string {
    return `event\n${JSON.stringify({
      timestamp: Math.floor(Date.now() / 1000),
      id,
      entity: this.#entity(),
      check: {
        metadata: { name: check, namespace: 'default' },
        interval: 10,
        status: 1,
        executed: count,
        output: `result ${count}`,
        subscriptions: ['load'],
        handlers: [],
      },
    })}`;
  }
}
