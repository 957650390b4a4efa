// The membership as the API and /metrics show it.
import type { MetricBook } from '../../http/metric-book.ts';
import type { ClusterPort } from '../../http/routes/operations.ts';
import { MonError } from '../../model/errors.ts';
import type { Membership } from './join-cluster.ts';

export const clusterPort = (membership: Membership): ClusterPort => ({
  now: () => membership.status(),
  members: () => membership.views(),
  drain: (name) =>
    membership.drainMember(name).catch((error: unknown) => {
      throw error instanceof MonError
        ? error
        : new MonError('unavailable', `${name} does not answer: ${(error as Error).message}`, {
            cause: error,
          });
    }),
});

export const showClusterMetrics = (
  book: Pick<MetricBook, 'gauge' | 'counter'>,
  { status }: Pick<Membership, 'status'>,
): void => {
  book.gauge({ name: 'mon_cluster_shards', help: 'Shards that this member serves.' }, () => status().shards);
  book.gauge(
    { name: 'mon_cluster_shards_moving', help: 'Shards that this member is taking over or giving away.' },
    () => status().moving,
  );
  book.gauge(
    { name: 'mon_cluster_shards_without_owner', help: 'Shards that no member owns.' },
    () => status().unowned,
  );
  book.gauge(
    { name: 'mon_cluster_members', help: 'Members, by whether their heartbeats move.', labels: ['state'] },
    () => {
      const { members } = status();
      const quiet = members.filter(({ isQuiet }) => isQuiet).length;
      return [
        [{ state: 'alive' }, members.length - quiet],
        [{ state: 'silent' }, quiet],
      ];
    },
  );
  book.gauge(
    { name: 'mon_cluster_bus_connected', help: '1 while this member is connected to a NATS server.' },
    () => (status().bus.state === 'connected' ? 1 : 0),
  );
  book.counter(
    { name: 'mon_cluster_bus_reconnects_total', help: 'Connections to NATS servers that were lost.' },
    () => status().bus.reconnects,
  );
  book.counter(
    { name: 'mon_cluster_bus_dropped_total', help: 'Messages that could not be sent to the NATS server.' },
    () => status().bus.dropped,
  );
  book.counter(
    {
      name: 'mon_cluster_stale_writes_total',
      help: 'Shards given up since a write was refused: another member owned them.',
    },
    () => status().staleWrites,
  );
};
