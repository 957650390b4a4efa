// What a run of real load is made of, and what comes back. Shared by the bench, the load generator and the bare loop.
import type { CpuTimeUs } from '../cpu-time.ts';

export interface RealPlan {
  readonly name: string;
  /** Connections: one agent, one entity each. */
  readonly agents: number;
  /** Checks that every agent runs; each is an event actor of its own for each agent. */
  readonly checks: number;
  readonly intervalSeconds: number;
  readonly encoding: 'json' | 'protobuf';
  /** Until the engine has compiled the hot path and every check has reported a few times. */
  readonly warmUpSeconds: number;
  readonly runSeconds: number;
  /** After the run all connections are cut at once and come back; the jitter of their first attempt, seconds. */
  readonly stormJitterSeconds: readonly number[];
  /** How long the subject rests after the load before its memory is read once more. */
  readonly restSeconds: number;
}

/** Commands of agents take this long, milliseconds, drawn evenly for each agent and check. */
export const commandMs = { min: 10, max: 1_000 } as const;

/** The share of results that change the state of their check: it turns from passing to failing or back. */
export const changingShare = 0.2;

/** Every so many seconds an agent says that it lives. */
export const keepaliveSeconds = 20;

/** Handshakes under way at once while the agents are let in. */
export const maxHandshakes = 100;

export const subscription = 'bench';
export const handledCheck = 'check-0';
export const checkName = (index: number): string => `check-${index}`;

/** The definition of one check, as it is put to the API and as the bare loop sends it. */
export const definitionOf = (name: string, intervalSeconds: number, handlers: readonly string[]) => ({
  command: 'check_load -w 4,3,2 -c 8,6,4',
  handlers,
  interval: intervalSeconds,
  publish: true,
  subscriptions: [subscription],
  timeout: 10,
  metadata: { name, namespace: 'default', labels: { team: 'base' } },
});

/** To the load generator. */
export type LoadOrder =
  | { readonly type: 'connect'; readonly url: string; readonly plan: RealPlan }
  | { readonly type: 'measure'; readonly pid: number; readonly seconds: number }
  | { readonly type: 'storm'; readonly jitterSeconds: number }
  | { readonly type: 'end' };

/** From the load generator. `handlerPort` takes the events of a TCP handler. */
export type LoadReport =
  | { readonly type: 'listening'; readonly handlerPort: number }
  | { readonly type: 'connected'; readonly seconds: number }
  | { readonly type: 'measured'; readonly result: RealResult }
  | { readonly type: 'back'; readonly seconds: number; readonly refusedAttempts: number };

export interface Percentiles {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface RealResult {
  readonly seconds: number;
  readonly requests: number;
  readonly sent: number;
  readonly acked: number;
  readonly refused: number;
  /** From the frame sent to its acknowledgement, milliseconds. */
  readonly ackMs: Percentiles;
  /** From the frame sent to the first byte the handler gets of it, milliseconds. */
  readonly handlerMs: Percentiles;
  /** Of the subject, per acknowledged event; requests, keepalives and all other work included. */
  readonly subjectUs: CpuTimeUs;
  /** Of the load generator, per acknowledged event: it runs on the same cores. */
  readonly generatorUs: number;
}
