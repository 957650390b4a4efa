// Keeps a connection to one of the backends open. The statechart decides when to connect to which backend; this
// file connects, waits and pings, and reports the results to the statechart.
import { createActor, type SnapshotFrom } from 'xstate';
import {
  type AgentConnectionEffect,
  agentConnectionMachine,
} from '../machines/agent-connection/agent-connection-machine.ts';
import { type BackOff, clampWaitMs } from '../machines/agent-connection/back-off-rule.ts';
import type { Logger } from '../program/log.ts';
import { agentStopped } from '../wire/close.ts';
import { decodeFrame, type Frame, invalidMessage } from '../wire/frames.ts';
import { type Cancel, type Clock, every } from './clock.ts';
import { type Dial, goodbye, type Line, type LineEnd, normalClose } from './dial.ts';
import { overloadedBackOffFactor, stopDeadlineMs } from './limits.ts';
import { askedWaitMs, type Random, retryAfterMs, shuffled } from './reconnect-rule.ts';

export type ConnectionState = SnapshotFrom<typeof agentConnectionMachine>['value'];

export interface ConnectionListener {
  connected(line: Line): void;
  frame(frame: Frame): void;
  disconnected(): void;
}

export interface ConnectionOptions {
  readonly urls: readonly string[];
  readonly retry: BackOff;
  readonly heartbeatIntervalMs: number;
  readonly heartbeatTimeoutMs: number;
  /** 0 means no limit. */
  readonly maxSessionMs: number;
  readonly dial: Dial;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

export interface Connection {
  start(): void;
  /** Sends a close frame; resolves once the connection is closed, or after half a second. */
  stop(): Promise<void>;
  /** Drops this connection and connects to the next backend. */
  drop(why: string): void;
  state(): ConnectionState;
}

/** Maintains one connection: pings, pong timeout, maximum session length. */
const keepLine = (line: Line, options: ConnectionOptions, cut: (why: string) => void) => {
  const { clock, heartbeatTimeoutMs, log, maxSessionMs, random } = options;
  const timers: Cancel[] = [every(clock, options.heartbeatIntervalMs, () => line.ping())];
  let cancelDeadline: Cancel = () => {};
  const answered = () => {
    cancelDeadline();
    cancelDeadline = clock.after(heartbeatTimeoutMs, () =>
      cut(`no pong within ${heartbeatTimeoutMs / 1000} s`),
    );
  };
  answered();
  if (maxSessionMs > 0) {
    const lifeMs = (maxSessionMs / 2) * (1 + random());
    const end = () => {
      log.info('the session has reached its maximum length');
      line.close(normalClose, goodbye);
    };
    timers.push(clock.after(lifeMs, end));
  }
  return {
    answered,
    end: () => {
      cancelDeadline();
      for (const cancel of timers) cancel();
    },
  };
};

export const createConnection = (options: ConnectionOptions, listener: ConnectionListener): Connection => {
  const { clock, log, random, retry } = options;
  const urls = shuffled(options.urls, random);
  const actor = createActor(agentConnectionMachine, { input: { urls, backOff: retry } });
  let line: Line | undefined;
  let life: ReturnType<typeof keepLine> | undefined;
  let cancelDial = () => {};
  let cancelRetry: Cancel = () => {};
  let whenEnded: () => void = () => {};

  const cut = (why: string) => {
    log.error({ error: why }, 'transport receive error');
    line?.cut();
  };

  const opened = (open: Line) => {
    line = open;
    life = keepLine(open, options, cut);
    log.info({ 'backend-id': open.agreement.backendId, 'backend-url': open.url }, 'successfully connected');
    actor.send({ type: 'line.opened', nowMs: clock.monotonicMs() });
    listener.connected(open);
  };

  const message = (bytes: Buffer) => {
    const frame = decodeFrame(bytes);
    if (frame !== null) listener.frame(frame);
    else cut(invalidMessage);
  };

  const refused = (end: LineEnd) => {
    const waitMs = clampWaitMs(actor.getSnapshot().context.waitMs, retry);
    const asked = retryAfterMs(end.retryAfter, clock.wallMs());
    const askedMs = askedWaitMs(waitMs, retry, end.status, asked, overloadedBackOffFactor);
    log.error(
      { error: end.message, retry_in_ms: Math.round(Math.max(waitMs, askedMs)) },
      'reconnection attempt failed',
    );
    actor.send({
      type: 'line.refused',
      nowMs: clock.monotonicMs(),
      random: random(),
      why: end.message,
      askedMs,
    });
  };

  const ended = (end: LineEnd) => {
    const wasOpen = line !== undefined;
    life?.end();
    line = undefined;
    if (wasOpen) listener.disconnected();
    if (actor.getSnapshot().status !== 'active') return whenEnded();
    if (!wasOpen) return refused(end);
    if (end.clean) log.info({ error: end.message }, 'connection closed');
    else log.error({ error: end.message }, 'transport receive error');
    actor.send({ type: 'line.ended', nowMs: clock.monotonicMs(), random: random(), why: end.message });
  };

  const perform = (effect: AgentConnectionEffect): void => {
    if (effect.type === 'dial') {
      log.info(`connecting to backend URL "${effect.url}"`);
      const pong = () => life?.answered();
      cancelDial = options.dial(effect.url, { opened, message, pong, ended }).cancel;
    } else if (effect.type === 'deadline.set') {
      const reached = () =>
        actor.send({ type: 'deadline.reached', name: 'retry', nowMs: clock.monotonicMs() });
      cancelRetry = clock.after(effect.atMs - clock.monotonicMs(), reached);
    } else if (effect.type === 'deadline.clear') cancelRetry();
    else if (line === undefined) cancelDial();
    else line.close(agentStopped.code, agentStopped.reason);
  };
  actor.on('*', perform);
  actor.start();

  const closed = () =>
    new Promise<void>((resolve) => {
      const cancel = clock.after(stopDeadlineMs / 2, () => {
        cancelDial();
        resolve();
      });
      whenEnded = () => {
        cancel();
        resolve();
      };
    });

  return {
    start: () => actor.send({ type: 'start.requested', nowMs: clock.monotonicMs() }),
    stop: async () => {
      const isUp = ['connecting', 'connected'].includes(actor.getSnapshot().value);
      const whenClosed = isUp ? closed() : Promise.resolve();
      actor.send({ type: 'stop.requested', nowMs: clock.monotonicMs() });
      await whenClosed;
    },
    drop: cut,
    state: () => actor.getSnapshot().value,
  };
};
