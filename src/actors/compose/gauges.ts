// Figures of this moment about the actor world, for people and for metrics.
import { expressionMemo } from '../../model/expression-syntax.ts';
import type { GroupCommit } from '../durable/group-commit.ts';
import type { ResourceTable } from '../resources/resource-table.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Services } from './services.ts';

export const gaugesOf = (
  {
    registered,
    sessions,
    pipelines,
    checkDeliveries,
    watchdog,
    clients,
    events,
    held,
    gate,
    secrets,
  }: Pick<
    Services,
    | 'registered'
    | 'sessions'
    | 'pipelines'
    | 'checkDeliveries'
    | 'watchdog'
    | 'clients'
    | 'events'
    | 'held'
    | 'gate'
    | 'secrets'
  >,
  runtime: Pick<Runtime, 'figures'>,
  commit: GroupCommit,
  resources: Pick<ResourceTable, 'kept'>,
): Readonly<Record<string, number>> => {
  const { commits, writes, coalesced, failures, lastCommitMs, p99CommitMs } = commit.stats();
  const { running, waiting, retrying, delivered, dropped } = pipelines.deliveries.stats();
  const { looks, found, stopped } = watchdog.stats();
  return {
    ...runtime.figures(),
    entities: registered.size,
    events: events.size,
    largeEventBytes: held.bytes,
    eventsOverBounds: gate.refused,
    resources: resources.kept.count,
    resourceBytes: resources.kept.bytes,
    expressionsWaiting: pipelines.expressions.waiting,
    secretsWaiting: secrets.waiting,
    memoBytes: expressionMemo().bytes,
    sessions: sessions.count,
    requestsWaiting: sessions.requestsWaiting,
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
    deliveriesDropped: dropped,
    deliveryBytesWaiting: checkDeliveries.waitingBytes,
    watchdogLooks: looks,
    checksFoundStopped: found,
    checksStopped: stopped,
  };
};
