// The watchdog: compares the checks that should have run with those that did. It looks on a timer of its own and works
// out by itself when each check is due, so that a scheduler that lost one, or stands still, does not judge itself. What
// stopped is reported (log, figures, an event about the platform) and started again.
import { judgeSchedule } from '../../machines/schedule/overdue-rule.ts';
import type { CheckConfig } from '../../model/check/check.ts';
import type { Clock } from '../runtime/time/clock.ts';
import { watchdogGraceMs, watchdogLookMs } from './limits.ts';

/** A check that should have run at `dueMs` (wall milliseconds) and did not. */
export interface StoppedCheck {
  readonly namespace: string;
  readonly check: string;
  readonly dueMs: number;
}

export interface WatchdogPorts {
  readonly clock: Pick<Clock, 'wallMs' | 'monotonicMs' | 'setTimer'>;
  /** Every definition of now. */
  readonly checks: () => readonly CheckConfig[];
  /** Gets a schedule going again. */
  readonly revive: (config: CheckConfig) => void;
  /** The status of the last event about stopped checks, which an earlier process may have left; undefined without one. */
  readonly lastStatus: () => number | undefined;
  /** Told when the list changes; empty when all is well again. */
  readonly onChange: (stopped: readonly StoppedCheck[]) => void;
}

interface Followed {
  config: CheckConfig;
  /** Wall milliseconds: its last run, or since when it is followed. */
  sinceMs: number;
  stopped: StoppedCheck | undefined;
}

export class Watchdog {
  readonly #ports: WatchdogPorts;
  readonly #followed = new Map<string, Followed>();
  #disarm: (() => void) | undefined;
  #looked = { wallMs: 0, monotonicMs: 0 };
  #looks = 0;
  #found = 0;
  /** Undefined before the first look. */
  #told: string | undefined;

  constructor(ports: WatchdogPorts) {
    this.#ports = ports;
  }

  start(): void {
    this.#looked = this.#now();
    this.#follow(this.#looked.wallMs);
    this.#arm();
  }

  stop(): void {
    this.#disarm?.();
    this.#disarm = undefined;
  }

  /** A check has just run: its request was published. */
  ran(config: CheckConfig): void {
    const followed = this.#followed.get(keyOf(config));
    if (followed !== undefined) followed.sinceMs = this.#ports.clock.wallMs();
  }

  /** `found`: how many checks were found stopped since the start; `stopped`: how many are now. */
  stats(): { readonly looks: number; readonly found: number; readonly stopped: number } {
    return { looks: this.#looks, found: this.#found, stopped: this.#stopped().length };
  }

  #arm(): void {
    this.#disarm = this.#ports.clock.setTimer(() => {
      this.#arm();
      this.#look();
    }, watchdogLookMs);
  }

  #look(): void {
    const before = this.#looked;
    const now = this.#now();
    this.#looked = now;
    this.#looks += 1;
    const passedMs = now.monotonicMs - before.monotonicMs;
    // Held up ourselves, or the wall clock was set: everything is late, and nothing follows from that. Count again.
    const isOdd =
      passedMs > 2 * watchdogLookMs || Math.abs(now.wallMs - before.wallMs - passedMs) > watchdogGraceMs / 2;
    this.#follow(now.wallMs);
    for (const followed of this.#followed.values()) {
      if (isOdd) followed.sinceMs = now.wallMs;
      else this.#judge(followed, now.wallMs);
    }
    this.#tell();
  }

  /** Takes up what was defined or changed, lets go of what was deleted. */
  #follow(nowMs: number): void {
    const gone = new Set(this.#followed.keys());
    for (const config of this.#ports.checks()) {
      const key = keyOf(config);
      gone.delete(key);
      const known = this.#followed.get(key);
      if (known?.config === config) continue;
      this.#followed.set(key, { config, sinceMs: nowMs, stopped: undefined });
    }
    for (const key of gone) this.#followed.delete(key);
  }

  #judge(followed: Followed, nowMs: number): void {
    const { config } = followed;
    const judgement = judgeSchedule(followed, nowMs, watchdogGraceMs);
    if (!judgement.overdue) {
      if (judgement.why === 'subdued' || judgement.why === 'unpublished') followed.sinceMs = nowMs;
      followed.stopped = undefined;
      return;
    }
    if (followed.stopped === undefined) this.#found += 1;
    followed.stopped ??= {
      namespace: config.metadata.namespace ?? '',
      check: config.metadata.name,
      dueMs: judgement.dueMs,
    };
    this.#ports.revive(config);
  }

  #tell(): void {
    const stopped = this.#stopped();
    const names = stopped.map(({ namespace, check }) => `${namespace}/${check}`).join(' ');
    // An event that an earlier process left failing is resolved by the first look that finds nothing.
    const told = this.#told ?? ((this.#ports.lastStatus() ?? 0) > 0 ? undefined : '');
    this.#told = names;
    if (names === told) return;
    this.#ports.onChange(stopped);
  }

  #stopped(): readonly StoppedCheck[] {
    return [...this.#followed.values()].flatMap(({ stopped }) => stopped ?? []);
  }

  #now(): { readonly wallMs: number; readonly monotonicMs: number } {
    const { clock } = this.#ports;
    return { wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs() };
  }
}

const keyOf = ({ metadata: { namespace = '', name } }: CheckConfig): string => `${namespace}/${name}`;
