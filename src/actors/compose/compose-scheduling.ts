// Scheduling: from the definitions to the requests that go out, and the watchdog over it. A check that is due is asked for from
// agents and from clients of the earlier generation.
import { shardOf } from '../../cluster/shards.ts';
import type { CheckConfig } from '../../model/check/check.ts';
import type { Entity } from '../../model/entity/entity.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { Clients } from '../families/client/clients.ts';
import { IssueTimes } from '../families/schedule/issue-times.ts';
import { ProxyMatcher } from '../families/schedule/proxy-matcher.ts';
import { type Issue, Requests, type RequestsPorts } from '../families/schedule/requests.ts';
import { Schedules } from '../families/schedule/schedules.ts';
import { Turns } from '../families/schedule/turns.ts';
import type { Sessions } from '../families/session/sessions.ts';
import type { Pipelines } from '../pipelines/pipelines.ts';
import { type Finding, watchdogFinding } from '../platform/platform-events.ts';
import { Watchdog } from '../platform/watchdog.ts';
import type { Withheld } from '../problems/withheld.ts';
import type { Configuration } from '../resources/configuration.ts';
import type { Dependencies } from './dependencies.ts';

export interface SchedulingNeighbours {
  readonly configuration: Configuration;
  readonly pipelines: Pipelines;
  readonly sessions: Sessions;
  readonly clients: Clients;
  readonly secrets: Secrets;
  readonly withheld: Withheld;
  /** The entities of a namespace, in order of their names. */
  readonly entities: (namespace: string) => readonly Entity[];
  readonly isVouched: RequestsPorts['isVouched'];
  readonly tellResult: RequestsPorts['tellResult'];
  /** An event about this backend itself. */
  readonly report: (finding: Finding) => Promise<void>;
  /** The status of the last event of the watchdog, which an earlier process may have left; undefined without one. */
  readonly lastWatchdogStatus: () => number | undefined;
}

export interface Scheduling {
  /** Asks agents and clients to run a check once more, by the wish of somebody. Returns the Unix second it is issued in. */
  readonly executeNow: (config: CheckConfig, wish: Pick<Issue, 'subscriptions' | 'attributes'>) => number;
  readonly requests: Requests;
  readonly turns: Turns;
  readonly schedules: Schedules;
  readonly watchdog: Watchdog;
}

export const composeScheduling = (
  { runtime, families, commit, log, hosting }: Dependencies,
  {
    configuration,
    pipelines,
    sessions,
    clients,
    secrets,
    withheld,
    entities,
    isVouched,
    tellResult,
    report,
    lastWatchdogStatus,
  }: SchedulingNeighbours,
): Scheduling => {
  const { faults } = runtime;
  const nowMs = (): number => runtime.clock.wallMs();
  const matcher = new ProxyMatcher({ expressions: pipelines.expressions, nowMs, log });
  const turns = new Turns(commit);
  const issueTimes = new IssueTimes();
  configuration.watchChecks((namespace, name, config) => {
    if (config !== undefined) return;
    matcher.forget(namespace, name);
    turns.forget(namespace, name);
    issueTimes.forget(namespace, name);
  });
  const after = (delayMs: number, task: () => void): void => void runtime.deadlines.after(delayMs, task);
  const requests = new Requests({
    configuration,
    sessions,
    matcher,
    turns,
    resolveSecrets: secrets.resolve,
    withheld,
    askClients: (config, issue) => clients.requests.ask(config, issue),
    entities,
    isVouched,
    tellResult,
    nowMs,
    after,
    log,
    onFault: (error) => faults.report('a proxy request', error),
  });
  const issue = (config: CheckConfig, wish: Issue): void => {
    issueTimes.note(config, wish.issued);
    requests.issue(config, wish);
    clients.requests.issue(config, wish);
  };
  const executeNow: Scheduling['executeNow'] = (config, wish) => {
    const { issued, delayMs } = issueTimes.next(config, nowMs());
    const go = (): void => issue(config, { ...wish, issued, adhoc: true });
    if (delayMs === 0) go();
    else after(delayMs, go);
    return issued;
  };
  const shards = hosting?.shards;
  const isScheduledHere = ({ metadata: { namespace = '', name } }: CheckConfig): boolean =>
    shards === undefined || shards.isMine(shardOf(namespace, name));
  const schedules = new Schedules({
    families,
    shards,
    faults,
    nowMs,
    issue: (config, issued) => {
      watchdog.ran(config);
      issue(config, { issued });
    },
  });
  const watchdog = new Watchdog({
    clock: runtime.clock,
    checks: () => configuration.checks().filter(isScheduledHere),
    revive: (config) => schedules.revive(config),
    lastStatus: lastWatchdogStatus,
    onChange: (stopped) => {
      const finding = watchdogFinding(stopped);
      if (stopped.length > 0)
        log.error({ stopped }, 'checks did not run when they were due, starting them again');
      else log.warn({}, finding.output);
      report(finding).catch((error) => faults.report('an event about the platform', error));
    },
  });
  return { executeNow, requests, turns, schedules, watchdog };
};
