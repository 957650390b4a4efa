// Keeps a connection to one of the backends open. The statechart decides when to connect to which backend; this
// file connects, waits and pings, and reports the results to the statechart.
import type { SnapshotFrom } from 'xstate';
import {
  type AgentConnectionContext,
  type AgentConnectionEffect,
  type AgentConnectionFact,
  agentConnectionMachine,
} from '../../machines/agent-connection/agent-connection-machine.ts';
import { type BackOff, waitBeforeNextMs } from '../../machines/agent-connection/back-off-rule.ts';
import type { Logger } from '../../program/log.ts';
import { agentStopped } from '../../wire/close.ts';
import { decodeFrame, type Frame, invalidMessage } from '../../wire/frames.ts';
import { type Cancel, type Clock, every } from '../clock.ts';
import { overloadedBackOffFactor, stopDeadlineMs } from '../limits.ts';
import { type Behaviour, type LiveActor, mailbox, type Supervision } from '../supervision.ts';
import { type Dial, goodbye, type Line, type LineEnd, normalClose } from './dial.ts';
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
  readonly supervision: Supervision;
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

const actorId = 'connection';

/** The fact of an attempt that failed, with how long the backend asked to be left alone. */
const refusal = (
  end: LineEnd,
  actor: LiveActor,
  { clock, log, random, retry }: ConnectionOptions,
): AgentConnectionFact => {
  const { context } = actor.snapshot() as unknown as { readonly context: AgentConnectionContext };
  const drawn = random();
  const asked = retryAfterMs(end.retryAfter, clock.wallMs());
  const longWaitMs = Math.min(context.waitMs, retry.maxMs);
  const askedMs = askedWaitMs(longWaitMs, retry, end.status, asked, overloadedBackOffFactor);
  const waitMs = waitBeforeNextMs(context, drawn);
  log.error(
    { error: end.message, retry_in_ms: Math.round(Math.max(waitMs, askedMs)) },
    'reconnection attempt failed',
  );
  return { type: 'line.refused', nowMs: clock.monotonicMs(), random: drawn, why: end.message, askedMs };
};

export const createConnection = (options: ConnectionOptions, listener: ConnectionListener): Connection => {
  const { clock, log, random, retry, supervision } = options;
  const urls = shuffled(options.urls, random);
  let wanted: 'not yet' | 'connected' | 'stopped' = 'not yet';
  /** The life of the actor that dialled last; undefined after it crashed. */
  let owner: LiveActor | undefined;
  let isDialling = false;
  let line: Line | undefined;
  let life: ReturnType<typeof keepLine> | undefined;
  let cancelDial = () => {};
  let whenEnded: () => void = () => {};

  const tell = (actor: LiveActor, fact: AgentConnectionFact) => actor.tell(fact);

  const cut = (why: string) => {
    log.error({ error: why }, 'transport receive error');
    line?.cut();
  };

  const opened = (open: Line, actor: LiveActor) => {
    isDialling = false;
    line = open;
    life = keepLine(open, options, cut);
    log.info({ 'backend-id': open.agreement.backendId, 'backend-url': open.url }, 'successfully connected');
    tell(actor, { type: 'line.opened', nowMs: clock.monotonicMs() });
    listener.connected(open);
  };

  const message = (bytes: Buffer) => {
    const frame = decodeFrame(bytes);
    if (frame !== null) listener.frame(frame);
    else cut(invalidMessage);
  };

  const ended = (end: LineEnd, actor: LiveActor) => {
    const wasOpen = line !== undefined;
    isDialling = false;
    life?.end();
    line = undefined;
    if (wasOpen) listener.disconnected();
    if (wanted === 'stopped') return whenEnded();
    // A crash closed it; the next life of the actor dials again.
    if (owner !== actor) return;
    if (!wasOpen) return tell(actor, refusal(end, actor, options));
    if (end.clean) log.info({ error: end.message }, 'connection closed');
    else log.error({ error: end.message }, 'transport receive error');
    tell(actor, { type: 'line.ended', nowMs: clock.monotonicMs(), random: random(), why: end.message });
  };

  const dial = (url: string, actor: LiveActor) => {
    log.info(`connecting to backend URL "${url}"`);
    owner = actor;
    isDialling = true;
    cancelDial = options.dial(url, {
      opened: (open) => opened(open, actor),
      message,
      pong: () => life?.answered(),
      ended: (end) => ended(end, actor),
    }).cancel;
  };

  const behaviour: Behaviour<AgentConnectionEffect> = {
    machine: agentConnectionMachine,
    mailbox,
    begin: () => ({ input: { urls, backOff: retry } }),
    firstMessage: () =>
      wanted === 'connected' ? { type: 'start.requested', nowMs: clock.monotonicMs() } : undefined,
    perform: (effect, actor) => {
      if (effect.type === 'dial') dial(effect.url, actor);
      else if (effect.type === 'deadline.set')
        actor.setDeadline(effect.name, clock.wallMs() + effect.atMs - clock.monotonicMs());
      else if (effect.type === 'deadline.clear') actor.clearDeadline(effect.name);
      else if (line === undefined) cancelDial();
      else line.close(agentStopped.code, agentStopped.reason);
    },
    onDeadline: (name) => ({ type: 'deadline.reached', name, nowMs: clock.monotonicMs() }),
    end: (_, reason) => {
      if (reason.type !== 'abnormal') return;
      owner = undefined;
      if (line === undefined) cancelDial();
      else line.cut();
    },
  };
  supervision.start({ id: actorId, behaviour });

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

  const state = (): ConnectionState => {
    const snapshot = supervision.snapshot(actorId) as { readonly value: ConnectionState } | undefined;
    return snapshot?.value ?? (wanted === 'stopped' ? 'stopped' : 'disconnected');
  };

  const ask = (type: 'start.requested' | 'stop.requested') => {
    const fact: AgentConnectionFact = { type, nowMs: clock.monotonicMs() };
    supervision.tell(actorId, fact);
  };

  return {
    start: () => {
      wanted = 'connected';
      ask('start.requested');
    },
    stop: async () => {
      wanted = 'stopped';
      const whenClosed = isDialling || line !== undefined ? closed() : Promise.resolve();
      ask('stop.requested');
      await whenClosed;
    },
    drop: cut,
    state,
  };
};
