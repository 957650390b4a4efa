// Figures of this moment about the actor world, for people and for metrics.
import type { GroupCommit } from './commit/group-commit.ts';
import type { Parts } from './parts.ts';
import type { Runtime } from './runtime/runtime.ts';

export const gaugesOf = (
  {
    registered,
    sessions,
    pipelines,
    watchdog,
    clients,
  }: Pick<Parts, 'registered' | 'sessions' | 'pipelines' | 'watchdog' | 'clients'>,
  runtime: Pick<Runtime, 'figures'>,
  commit: GroupCommit,
): Readonly<Record<string, number>> => {
  const { commits, writes, coalesced, failures, lastCommitMs, p99CommitMs } = commit.stats();
  const { running, waiting, retrying, delivered } = pipelines.deliveries.stats();
  const { looks, found, stopped } = watchdog.stats();
  return {
    ...runtime.figures(),
    entities: registered.size,
    sessions: sessions.count,
    clientMessagesRefused: clients.refusals.count,
    commits,
    writes,
    writesCoalesced: coalesced,
    commitFailures: failures,
    commitDepth: commit.depth,
    lastCommitMs,
    p99CommitMs,
    deliveriesRunning: running,
    deliveriesWaiting: waiting,
    deliveriesRetrying: retrying,
    delivered,
    watchdogLooks: looks,
    checksFoundStopped: found,
    checksStopped: stopped,
  };
};
