// The load generator: agents in a process of their own. Each answers the check requests it gets, one result a request,
// after the time a command takes, and says every 20 s that it lives. Started with IPC: takes LoadOrders, sends LoadReports.
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import WebSocket from 'ws';
import { cpuTimeUs } from '../cpu-time.ts';
import {
  changingShare,
  commandMs,
  keepaliveSeconds,
  type LoadOrder,
  type LoadReport,
  maxHandshakes,
  type Percentiles,
  type RealPlan,
} from './plan.ts';
import { type BenchWire, entityOf, type Request, wireOf } from './wire.ts';

const authorization = `Basic ${Buffer.from('agent:P@ssw0rd!').toString('base64')}`;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const percentiles = (values: number[]): Percentiles => {
  const sorted = values.sort((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? Number.NaN };
};

/** Counts while `isOn`. Handlers name the event they got, so times of sending are kept until then for failing results. */
const tally = {
  isOn: false,
  requests: 0,
  sent: 0,
  acked: 0,
  refused: 0,
  ackMs: [] as number[],
  handlerMs: [] as number[],
};
const sentFailing = new Map<string, number>();
const maxRemembered = 100_000;

const send = (report: LoadReport): void => {
  process.send?.(report);
};

/** Ids that are cheap to make and never repeat: one random UUID an agent, its last 12 digits counted up. */
const idSource = (): (() => string) => {
  const stem = randomUUID().slice(0, 24);
  let count = 0;
  return () => {
    count += 1;
    return stem + count.toString(16).padStart(12, '0');
  };
};

class Agent {
  readonly #name: string;
  readonly #wire: BenchWire;
  readonly #url: string;
  readonly #nextId = idSource();
  readonly #entity: ReturnType<typeof entityOf>;
  readonly #failing = new Map<string, boolean>();
  readonly #sentAt = new Map<string, number>();
  #sequence = 0;
  #socket: WebSocket | undefined;
  #keepalives: NodeJS.Timeout | undefined;

  constructor(index: number, plan: RealPlan, url: string) {
    this.#name = `bench-${index}`;
    this.#wire = wireOf(plan);
    this.#url = url;
    this.#entity = entityOf(this.#name);
  }

  /** One attempt. True with the first message of the subject: the session is open; false when it was refused or lost. */
  connect(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = new WebSocket(this.#url, {
        perMessageDeflate: false,
        headers: {
          'Mon-AgentName': this.#name,
          'Mon-Namespace': 'default',
          'Mon-Subscriptions': this.#entity.subscriptions.join(','),
          'Mon-User': 'agent',
          'Mon-Ack': '1',
          Accept: this.#wire.accept,
          Authorization: authorization,
        },
      });
      socket.on('error', () => resolve(false));
      socket.on('close', () => {
        clearInterval(this.#keepalives);
        resolve(false);
      });
      socket.on('open', () => {
        this.#socket = socket;
        this.#sentAt.clear();
        this.#keepalive();
        this.#keepalives = setInterval(() => this.#keepalive(), keepaliveSeconds * 1_000);
      });
      socket.once('message', () => resolve(true));
      socket.on('message', (frame: Buffer) => this.#receive(frame));
    });
  }

  async reconnect(): Promise<number> {
    for (let refused = 0; ; refused += 1) {
      if (await this.connect()) return refused;
      await pause(1_000);
    }
  }

  cut(): void {
    this.#socket?.terminate();
  }

  #keepalive(): void {
    this.#write(this.#wire.keepalive(this.#name, ++this.#sequence));
  }

  #write(frame: Buffer): boolean {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(frame);
    return true;
  }

  #receive(frame: Buffer): void {
    // Only acknowledgements begin with `ack\n`.
    if (frame[0] === 0x61 && frame[3] === 0x0a) {
      const ack = JSON.parse(frame.toString('utf8', 4)) as { ids: string[]; refused?: { id: string }[] };
      for (const id of ack.ids) this.#acked(id);
      if (tally.isOn) tally.refused += ack.refused?.length ?? 0;
      return;
    }
    const request = this.#wire.request(frame);
    if (request === null) return;
    if (tally.isOn) tally.requests += 1;
    setTimeout(() => this.#answer(request), commandMs.min + Math.random() * (commandMs.max - commandMs.min));
  }

  #answer(request: Request): void {
    const { name } = request.config.metadata;
    const wasFailing = this.#failing.get(name) ?? false;
    const isFailing = Math.random() < changingShare ? !wasFailing : wasFailing;
    this.#failing.set(name, isFailing);
    const id = this.#nextId();
    const frame = this.#wire.result(request, {
      id,
      sequence: ++this.#sequence,
      issued: request.issued,
      status: isFailing ? 2 : 0,
      entity: this.#entity,
    });
    const now = performance.now();
    if (!this.#write(frame)) return;
    this.#sentAt.set(id, now);
    if (isFailing && sentFailing.size < maxRemembered) sentFailing.set(id, now);
    if (tally.isOn) tally.sent += 1;
  }

  #acked(id: string): void {
    const sentAt = this.#sentAt.get(id);
    this.#sentAt.delete(id);
    if (sentAt === undefined || !tally.isOn) return;
    tally.acked += 1;
    tally.ackMs.push(performance.now() - sentAt);
  }
}

/** Takes the events of a TCP handler: one connection an event, closed by the sender. */
const listenForHandler = async (): Promise<Server> => {
  const server = createServer((socket) => {
    let text = '';
    const arrived = performance.now();
    socket.on('data', (data) => {
      text += data.toString('latin1');
    });
    socket.on('error', () => socket.destroy());
    socket.on('end', () => {
      const id = (JSON.parse(text) as { id: string }).id;
      const sentAt = sentFailing.get(id);
      if (sentAt !== undefined && tally.isOn) tally.handlerMs.push(arrived - sentAt);
      socket.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
};

let agents: readonly Agent[] = [];

const connectAll = async (url: string, plan: RealPlan): Promise<void> => {
  agents = Array.from({ length: plan.agents }, (_, index) => new Agent(index, plan, url));
  const waiting = [...agents];
  const started = performance.now();
  const worker = async (): Promise<void> => {
    for (let agent = waiting.pop(); agent !== undefined; agent = waiting.pop()) await agent.reconnect();
  };
  await Promise.all(Array.from({ length: Math.min(maxHandshakes, plan.agents) }, worker));
  send({ type: 'connected', seconds: (performance.now() - started) / 1_000 });
};

const measure = async (pid: number, seconds: number): Promise<void> => {
  Object.assign(tally, { requests: 0, sent: 0, acked: 0, refused: 0, ackMs: [], handlerMs: [] });
  sentFailing.clear();
  const before = cpuTimeUs(pid);
  const ownBefore = process.cpuUsage();
  const started = performance.now();
  tally.isOn = true;
  await pause(seconds * 1_000);
  tally.isOn = false;
  const after = cpuTimeUs(pid);
  const own = process.cpuUsage(ownBefore);
  const { acked, ackMs, handlerMs, isOn: _, ...counts } = tally;
  send({
    type: 'measured',
    result: {
      ...counts,
      acked,
      seconds: (performance.now() - started) / 1_000,
      ackMs: percentiles(ackMs),
      handlerMs: percentiles(handlerMs),
      subjectUs: {
        process: (after.process - before.process) / acked,
        main: (after.main - before.main) / acked,
      },
      generatorUs: (own.user + own.system) / acked,
    },
  });
};

/** All connections end at once, and every agent tries again, after its jitter, until it is back. */
const storm = async (jitterSeconds: number): Promise<void> => {
  for (const agent of agents) agent.cut();
  const started = performance.now();
  const refused = await Promise.all(
    agents.map(async (agent) => {
      await pause(Math.random() * jitterSeconds * 1_000);
      return agent.reconnect();
    }),
  );
  send({
    type: 'back',
    seconds: (performance.now() - started) / 1_000,
    refusedAttempts: refused.reduce((sum, count) => sum + count, 0),
  });
};

const obey = (order: LoadOrder): Promise<void> | void => {
  switch (order.type) {
    case 'connect':
      return connectAll(order.url, order.plan);
    case 'measure':
      return measure(order.pid, order.seconds);
    case 'storm':
      return storm(order.jitterSeconds);
    case 'end':
      process.exit(0);
  }
};

if (process.send !== undefined) {
  process.on('message', (order: LoadOrder) => {
    Promise.resolve(obey(order)).catch((error: unknown) => {
      console.error(error);
      process.exit(1);
    });
  });
  process.once('disconnect', () => process.exit(0));
  const server = await listenForHandler();
  send({ type: 'listening', handlerPort: (server.address() as AddressInfo).port });
}
