// One agent connection: received frames, acknowledgements, outgoing frames, and backpressure between them. Nothing
// here waits; the only allocation per event is one closure that settles it.
import { asError } from '../../actors/runtime/inspection/facts.ts';
import type { Outcome } from '../../actors/runtime/outcome.ts';
import type { Event } from '../../model/event/event.ts';
import { decodeFrame, invalidMessage, unknownMessageType } from '../../wire/frames.ts';
import type { BackendPort } from '../backend-port.ts';
import type { Log } from '../log.ts';
import type { AckBatcher, Acknowledger } from './acknowledger.ts';
import type { AgentCodec, SharedMemory } from './codec.ts';
import type { EdgeCounts } from './counts.ts';
import type { EventMemory } from './event-memory.ts';
import { type AgentIdentity, readEventFrame } from './frame-reader.ts';
import { closeCodes, type EdgeLimits, loudBadFrames } from './limits.ts';
import { NewEntities } from './new-entities.ts';
import { settle } from './settlement.ts';
import { WriteWatch } from './write-watch.ts';

/** The part of a WebSocket that a connection uses. */
export interface AgentSocket {
  /** `written` is called, in order, when the data was passed to the operating system. */
  send(data: Buffer | string, written: () => void): void;
  close(code: number, reason: string): void;
  terminate(): void;
  pause(): void;
  resume(): void;
  ping(): void;
  readonly bufferedBytes: number;
}

export interface ConnectionOptions {
  readonly socket: AgentSocket;
  readonly backend: BackendPort;
  readonly codec: AgentCodec;
  readonly identity: AgentIdentity;
  readonly user: string;
  /** Re-evaluated when users or rules change. */
  readonly mayStay: () => boolean;
  /** Null if the agent did not ask for acknowledgements. */
  readonly acks: AckBatcher | null;
  /** The cache shared by all sessions. */
  readonly memory: SharedMemory;
  readonly limits: EdgeLimits;
  readonly counts: EdgeCounts;
  readonly log: Log;
}

interface Parked {
  readonly kind: 'event' | 'keepalive';
  readonly event: Event;
  readonly id: string;
  /** Of `performance.now()`. */
  readonly arrivedMs: number;
  readonly offers: number;
}

export class AgentConnection {
  readonly options: ConnectionOptions;
  readonly #ack: Acknowledger | null;
  readonly #memory: EventMemory;
  readonly #writes: WriteWatch;
  readonly #newEntities: NewEntities;
  #state: 'open' | 'closing' | 'closed' = 'open';
  #reading = true;
  #unsettled = 0;
  #badFrames = 0;
  #missedPings = 0;
  /** One timer per retried event, so that one event does not delay the others. */
  readonly #retryTimers = new Set<NodeJS.Timeout>();

  constructor(options: ConnectionOptions) {
    this.options = options;
    this.#memory = options.codec.openMemory(options.memory);
    this.#newEntities = new NewEntities(options.backend, options.identity, options.limits.maxNewEntities);
    this.#writes = new WriteWatch(options.limits.writeTimeoutMs, () =>
      this.#cut('a message to the agent was not written in time; closing the connection'),
    );
    this.#ack = options.acks?.open({ sendAck: (frame) => void this.send(frame) }) ?? null;
  }

  /** Processes one message from the socket. */
  receive(data: Buffer): void {
    if (this.#state !== 'open') return;
    this.#missedPings = 0;
    const frame = decodeFrame(data);
    if (frame === null) {
      this.#bad(invalidMessage, data.byteLength);
      this.close(closeCodes.protocolError, invalidMessage);
      return;
    }
    const { type, payload } = frame;
    if (type !== 'event' && type !== 'keepalive') {
      this.#bad(unknownMessageType(type), data.byteLength);
      return;
    }
    const { codec, identity, counts } = this.options;
    const read = readEventFrame(type, payload, codec, identity, this.#memory);
    if (!read.ok) {
      this.#bad(`${type}: ${read.message}`, data.byteLength);
      if (read.id !== null && type === 'event') this.#ack?.refused(read.id, read.message);
      return;
    }
    const refusal = type === 'event' ? this.#newEntities.refusal(read.event) : null;
    if (refusal !== null) {
      this.#bad(`${type} refused: ${refusal}`, data.byteLength, read.id);
      this.#ack?.refused(read.id, refusal);
      return;
    }
    counts.received += 1;
    this.#unsettled += 1;
    this.#offer(type, read.event, read.id, performance.now(), 1);
    this.adjustReading();
  }

  /** False if the session is closed or the agent does not read its messages. */
  send(frame: Buffer | string): boolean {
    if (this.#state !== 'open') return false;
    const { socket, limits } = this.options;
    if (socket.bufferedBytes > limits.maxBufferedBytes) {
      this.#cut('agent does not read its messages; closing the connection');
      return false;
    }
    socket.send(frame, this.#writes.sent());
    return true;
  }

  #cut(why: string): void {
    if (this.#state !== 'open') return;
    const { socket, counts, log } = this.options;
    counts.cut += 1;
    log.warn({ ...this.#who(), bufferedBytes: socket.bufferedBytes }, why);
    this.#state = 'closing';
    this.#stopTimers();
    socket.terminate();
  }

  close(code: number, reason: string): void {
    if (this.#state !== 'open') return;
    this.#state = 'closing';
    this.#stopTimers();
    // A paused socket would never read the close frame of the agent.
    if (!this.#reading) this.options.socket.resume();
    this.options.socket.close(code, reason);
  }

  /** The socket closed; later receipts are ignored. True if the agent closed it. */
  closed(): boolean {
    const byAgent = this.#state === 'open';
    this.#state = 'closed';
    this.#stopTimers();
    return byAgent;
  }

  /** Reads only while the backend keeps up and the session has few enough unsettled frames. */
  adjustReading(): void {
    if (this.#state !== 'open') return;
    const { backend, limits, socket } = this.options;
    const full = this.#unsettled >= limits.maxUnsettledFrames;
    const roomy = this.#unsettled <= limits.maxUnsettledFrames / 2;
    if (this.#reading && (full || backend.pressure.high)) {
      this.#reading = false;
      socket.pause();
    } else if (!this.#reading && roomy && !backend.pressure.high) {
      this.#reading = true;
      socket.resume();
    }
  }

  /** Sends a ping, or closes after too many missed pongs. While we do not read, missing pongs are our fault. */
  ping(): void {
    if (this.#state !== 'open') return;
    if (this.#reading && this.#missedPings >= this.options.limits.maxMissedPings) {
      this.options.log.info(this.#who(), 'agent does not respond to pings; closing the connection');
      this.options.counts.silent += 1;
      this.#state = 'closing';
      this.options.socket.terminate();
      return;
    }
    if (this.#reading) this.#missedPings += 1;
    this.options.socket.ping();
  }

  ponged(): void {
    this.#missedPings = 0;
  }

  #offer(kind: Parked['kind'], event: Event, id: string, arrivedMs: number, offers: number): void {
    try {
      this.options.backend.acceptFrame(kind, event, (outcome) =>
        this.#settled(outcome, kind, event, id, arrivedMs, offers),
      );
    } catch (error) {
      this.options.log.error({ ...this.#who(), err: error }, 'unable to process an event');
      this.#settled({ type: 'fault', error: asError(error) }, kind, event, id, arrivedMs, offers);
    }
  }

  #settled(
    outcome: Outcome,
    kind: Parked['kind'],
    event: Event,
    id: string,
    arrivedMs: number,
    offers: number,
  ): void {
    if (this.#state !== 'open') return;
    const { counts } = this.options;
    const settlement = settle(outcome, offers);
    if (settlement.type === 'offerAgain') {
      this.#park({ kind, event, id, arrivedMs, offers: offers + 1 }, settlement.message);
      return;
    }
    this.#unsettled -= 1;
    if (settlement.type === 'accept') {
      counts.accepted += 1;
      if (kind === 'event') this.#ack?.accepted(id, arrivedMs);
    } else {
      if (outcome.type === 'poison' || outcome.type === 'fault') counts.poisonous += 1;
      this.#bad(`${kind} refused: ${settlement.message}`, 0, id);
      if (kind === 'event') this.#ack?.refused(id, settlement.message);
    }
    if (!this.#reading) this.adjustReading();
  }

  #park(parked: Parked, why: string): void {
    const { limits, log, counts } = this.options;
    const { kind, event, id, arrivedMs, offers } = parked;
    const inMs = Math.min(limits.retryDelayMs * 2 ** Math.min(offers - 2, 20), limits.maxRetryDelayMs);
    counts.offeredAgain += 1;
    // During an outage all events of a session are retried; only the first is logged.
    if (this.#retryTimers.size === 0)
      log.warn({ ...this.#who(), event_uuid: id, why, inMs }, 'events cannot be stored; retrying');
    const timer = setTimeout(() => {
      this.#retryTimers.delete(timer);
      this.#offer(kind, event, id, arrivedMs, offers);
    }, inMs);
    this.#retryTimers.add(timer);
  }

  #bad(why: string, bytes: number, id?: string): void {
    this.options.counts.refused += 1;
    this.#badFrames += 1;
    if (this.#badFrames > loudBadFrames && this.#badFrames % 1_000 !== 0) return;
    const about = { ...this.#who(), why, bytes, badFrames: this.#badFrames };
    this.options.log.warn(id === undefined ? about : { ...about, event_uuid: id }, 'message dropped');
  }

  #stopTimers(): void {
    for (const timer of this.#retryTimers) clearTimeout(timer);
    this.#retryTimers.clear();
    this.#writes.stop();
  }

  #who(): Record<string, string> {
    const { namespace, agentName } = this.options.identity;
    return { namespace, agent: agentName };
  }
}
