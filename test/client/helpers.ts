// What the tests of the client share: a log that remembers, timers that wait for a word, and raw sockets.
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import type { ClientLog, Level } from '../../src/client/log.ts';
import type { Timers } from '../../src/client/timers.ts';
import { eventually as patiently } from '../eventually.ts';

export interface Line {
  readonly level: Level;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export const rememberingLog = (): ClientLog & { readonly lines: Line[]; told(message: string): Line[] } => {
  const lines: Line[] = [];
  const tell = (level: Level) => (message: string, data?: object) =>
    void lines.push({ level, message, data: { ...data } });
  return {
    level: 'debug',
    lines,
    told: (message) => lines.filter((line) => line.message === message),
    debug: tell('debug'),
    info: tell('info'),
    warn: tell('warn'),
    error: tell('error'),
    fatal: tell('fatal'),
  };
};

interface Waiting {
  atMs: number;
  readonly everyMs: number | null;
  readonly run: () => void;
}

/** Manually advanced timers. */
export const handTimers = (startMs = 1_800_000_000_000) => {
  let nowMs = startMs;
  let wallStepMs = 0;
  const waiting = new Set<Waiting>();
  let armed = 0;
  const add = (delayMs: number, everyMs: number | null, run: () => void) => {
    const one: Waiting = { atMs: nowMs + delayMs, everyMs, run };
    waiting.add(one);
    armed += 1;
    return () => void waiting.delete(one);
  };
  const timers: Timers = {
    nowMs: () => nowMs + wallStepMs,
    after: (delayMs, run) => add(delayMs, null, run),
    every: (intervalMs, run) => add(intervalMs, intervalMs, run),
  };
  const advance = (ms: number) => {
    const end = nowMs + ms;
    for (;;) {
      const [next] = [...waiting].filter(({ atMs }) => atMs <= end).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      nowMs = next.atMs;
      if (next.everyMs === null) waiting.delete(next);
      else next.atMs += next.everyMs;
      next.run();
    }
    nowMs = end;
  };
  /** The clock on the wall is set; timers do not notice. */
  const jumpWall = (ms: number) => {
    wallStepMs += ms;
  };
  return { timers, advance, jumpWall, waiting: () => waiting.size, armed: () => armed };
};

/** A connection that gathers what it is sent. */
export const dial = (port: number) => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  socket.on('end', () => socket.end());
  return {
    send: (data: string | Buffer) => void socket.write(data),
    end: () => void socket.end(),
    closed,
    socket,
  };
};

export const datagram = (port: number, data: string | Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    socket.send(data, port, '127.0.0.1', (error) => {
      socket.close();
      if (error) reject(error);
      else resolve();
    });
  });

/** Looks until something holds. */
export const eventually = <T>(look: () => T | undefined | false, what = 'it'): Promise<T> =>
  patiently(what, look);
