// Silence of clients. Judged by our own clock at the thresholds
// themselves, where the reference product looks every 30 s and believes the client's clock.
import { isMap } from '../../model/earlier/json.ts';
import { clientRepeatMs, defaultClientCriticalSeconds, defaultClientWarningSeconds } from '../limits.ts';
import type { ClientContext, ClientRecord } from './client-facts.ts';

export interface Thresholds {
  readonly warningSeconds: number;
  readonly criticalSeconds: number;
}

/** Ten years: what is longer is no threshold. */
const maxThresholdSeconds = 315_360_000;

/** Keepalives are not validated by their sender's server: what is no number of seconds counts as not given. */
const secondsOf = (value: unknown, otherwise: number): number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= maxThresholdSeconds
    ? value
    : otherwise;

export const thresholdsOf = (record: ClientRecord): Thresholds => {
  const { keepalive } = record;
  const given = isMap(keepalive) && isMap(keepalive['thresholds']) ? keepalive['thresholds'] : {};
  return {
    warningSeconds: secondsOf(given['warning'], defaultClientWarningSeconds),
    criticalSeconds: secondsOf(given['critical'], defaultClientCriticalSeconds),
  };
};

/** Only exactly `false` takes a client out of the watch. */
export const isWatched = (record: ClientRecord): boolean => record['keepalives'] !== false;

export interface Judgement {
  readonly level: 'healthy' | 'warning' | 'critical';
  readonly status: 0 | 1 | 2;
  readonly output: string;
}

/** `>=`, critical first: a critical threshold below the warning one leaves no warning stage. */
export const judgeClient = (record: ClientRecord, lastHeardMs: number, nowMs: number): Judgement => {
  const age = Math.max(0, Math.floor((nowMs - lastHeardMs) / 1000));
  const { warningSeconds, criticalSeconds } = thresholdsOf(record);
  const silent = (threshold: number) => `No keepalive sent from client for ${age} seconds (>=${threshold})`;
  if (age >= criticalSeconds) return { level: 'critical', status: 2, output: silent(criticalSeconds) };
  if (age >= warningSeconds) return { level: 'warning', status: 1, output: silent(warningSeconds) };
  return { level: 'healthy', status: 0, output: `Keepalive sent from client ${age} seconds ago` };
};

const firstSeconds = (record: ClientRecord): number => {
  const { warningSeconds, criticalSeconds } = thresholdsOf(record);
  return Math.min(warningSeconds, criticalSeconds);
};

/**
 * A deadline that is due is due, whatever the clock on the wall says: how long a client was silent is what was waited for
 * it. The context as if the clock had always shown what it shows now.
 */
export const inTimeOf = <T extends Pick<ClientContext, 'lastHeardMs' | 'deadlineAtMs'>>(
  context: T,
  nowMs: number,
): T => {
  const { lastHeardMs, deadlineAtMs } = context;
  if (lastHeardMs === null || deadlineAtMs === null) return context;
  return { ...context, lastHeardMs: lastHeardMs + nowMs - deadlineAtMs, deadlineAtMs: nowMs };
};

/** When silence that begins now is an alert. */
export const firstDeadline = (record: ClientRecord, nowMs: number): number =>
  nowMs + firstSeconds(record) * 1000;

/** After a judgement: at the critical threshold exactly, and every 30 s while the silence lasts. */
export const nextJudgement = (
  { record, lastHeardMs }: Pick<ClientContext, 'record' | 'lastHeardMs'>,
  nowMs: number,
): number => {
  const repeat = nowMs + clientRepeatMs;
  if (record === null || lastHeardMs === null) return repeat;
  const { warningSeconds, criticalSeconds } = thresholdsOf(record);
  const thresholds = [warningSeconds, criticalSeconds].map((seconds) => lastHeardMs + seconds * 1000);
  const ahead = thresholds.filter((atMs) => atMs > nowMs);
  const { level } = judgeClient(record, lastHeardMs, nowMs);
  return level === 'healthy' ? Math.min(...ahead, firstDeadline(record, nowMs)) : Math.min(repeat, ...ahead);
};
