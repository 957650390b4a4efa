// Standalone checks: scheduled by the client itself.
import { Cron } from 'croner';
import { firstRunDelayMs } from '../machines/client/client-schedule-rule.ts';
import { isMap, type Json } from '../model/earlier/json.ts';
import { isSubdued } from '../model/earlier/subdue.ts';
import { parseCron } from '../model/time/cron.ts';
import type { ClientLog } from './log.ts';
import { seconds, type Timers } from './timers.ts';

export interface StandaloneOptions {
  readonly clientName: string;
  readonly checks: Json;
  readonly timers: Timers;
  readonly log: ClientLog;
  readonly run: (request: Json) => void;
}

/** Node timers have a maximum delay; longer waits are split. */
const longestWaitMs = 86_400_000;
/** How often a cron schedule rereads the wall clock, which may change. */
const wallLookMs = 30_000;

export const isStandalone = (check: Json): boolean =>
  check['standalone'] === true &&
  check['publish'] !== false &&
  (Number.isInteger(check['interval']) || typeof check['cron'] === 'string');

const nextCronMs = (cron: string, nowMs: number): number | undefined => {
  const read = parseCron(cron);
  if (!read.ok || read.schedule.type !== 'pattern') return undefined;
  const job = new Cron(read.schedule.pattern, { paused: true, mode: '5-part' });
  return job.nextRun(new Date(nowMs))?.getTime();
};

/** Starts scheduling; the returned function stops it. */
export const scheduleStandalone = (options: StandaloneOptions): (() => void) => {
  const { clientName, checks, timers, log, run } = options;
  const cancels = new Set<() => void>();
  const after = (delayMs: number, next: () => void): void => {
    const wait = Math.min(delayMs, longestWaitMs);
    const cancel = timers.after(wait, () => {
      cancels.delete(cancel);
      if (wait < delayMs) after(delayMs - wait, next);
      else next();
    });
    cancels.add(cancel);
  };
  const fire = (name: string, check: Json): void => {
    if (isSubdued(check['subdue'], timers.nowMs())) return log.info('check execution was subdued', { check });
    run({ ...check, name, issued: seconds(timers) });
  };
  const byCron = (name: string, check: Json, cron: string): void => {
    const plannedMs = timers.nowMs();
    const next = nextCronMs(cron, plannedMs);
    if (next === undefined) return log.warn('check has no further run by its cron schedule', { check });
    const wait = (): void => after(Math.min(Math.max(0, next - timers.nowMs()), wallLookMs), look);
    const look = (): void => {
      const now = timers.nowMs();
      if (now >= next) fire(name, check);
      // The clock was set back before the planning time; plan again.
      if (now >= next || now < plannedMs) byCron(name, check, cron);
      else wait();
    };
    wait();
  };
  const byInterval = (name: string, check: Json, intervalSeconds: number): void => {
    after(firstRunDelayMs(`${clientName}:${name}`, intervalSeconds, timers.nowMs()), () => {
      fire(name, check);
      cancels.add(timers.every(intervalSeconds * 1000, () => fire(name, check)));
    });
  };
  for (const [name, check] of Object.entries(checks)) {
    if (!isMap(check) || !isStandalone(check)) continue;
    if (typeof check['cron'] === 'string') byCron(name, check, check['cron']);
    else byInterval(name, check, Number(check['interval']));
  }
  return () => {
    for (const cancel of cancels) cancel();
    cancels.clear();
  };
};
