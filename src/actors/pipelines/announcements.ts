// Announcements: events for handlers that no check keeps, such as metrics without a check, the registration of a client,
// or the end of the incidents of one that was deleted. Each is in the store until the pipelines are done with it, so that a
// crash in between tells it again: at least once, as with the events of checks.

import { randomInt, randomUUID } from 'node:crypto';
import { shardCount } from '../../cluster/limits.ts';
import { needsDelivery } from '../../machines/check/delivery-rule.ts';
import type { Event } from '../../model/event/event.ts';
import { isObject } from '../../model/schema/is-object.ts';
import type { Entry, RecordKind } from '../../store/snapshot-store.ts';
import type { GroupCommit } from '../durable/group-commit.ts';
import type { HostedShards } from '../durable/hosted-shards.ts';
import type { Receipt } from '../runtime/contract.ts';
import type { Deliveries } from './deliveries.ts';

const kind = 'system';
const prefix = 'announcement/';
const machine = 'announcement';
const version = 1;

const bodyOf = (event: Event) => ({ machine, version, deadlines: [], state: { event } });

export interface AnnouncementsPorts {
  readonly commit: Pick<GroupCommit, 'put' | 'delete'>;
  readonly deliveries: Pick<Deliveries, 'submit'>;
  /** In a cluster: an announcement belongs to one of these, so that another backend tells it when this one can't. */
  readonly shards?: Pick<HostedShards, 'isMine'> | undefined;
}

/** Stored announcements, whichever backend made them. */
type StoredAnnouncements = (kind: RecordKind, prefix: string) => AsyncIterable<Entry>;

export class Announcements {
  readonly #ports: AnnouncementsPorts;

  constructor(ports: AnnouncementsPorts) {
    this.#ports = ports;
  }

  /**
   * The receipt is called once the event is durable, or names nobody. When it cannot be written, a sender with a receipt is
   * told and asks again; without one the pipelines get it anyway.
   */
  tell(event: Event, receipt?: Receipt): void {
    if (!needsDelivery(event)) return receipt?.({ type: 'done' });
    const { commit } = this.#ports;
    const key = this.#newKey();
    commit.put(
      kind,
      key,
      () => bodyOf(event),
      (outcome) => {
        if (outcome.type === 'done' || receipt === undefined) this.#deliver(key, event);
        else commit.delete(kind, key);
        receipt?.(outcome);
      },
    );
  }

  /** What an earlier process or owner did not finish. A bad record is reported and left where it is. */
  async restore(
    records: StoredAnnouncements,
    onBadRecord: (kind: RecordKind, key: string, error: unknown) => void,
  ): Promise<void> {
    for await (const { key, record } of records(kind, prefix)) {
      const event = isObject(record.state) ? record.state['event'] : undefined;
      if (isObject(event) && isObject(event['entity'])) this.#deliver(key, event as unknown as Event);
      else onBadRecord(kind, key, new Error('the record holds no event'));
    }
  }

  /** A backend without any shard can't write one: its sender is told so, and asks again. */
  #newKey(): string {
    const { shards } = this.#ports;
    if (shards === undefined) return `${prefix}${randomUUID()}`;
    const from = randomInt(shardCount);
    for (let step = 0; step < shardCount; step += 1) {
      const shard = (from + step) % shardCount;
      if (shards.isMine(shard)) return `${prefix}${shard}-${randomUUID()}`;
    }
    return `${prefix}${from}-${randomUUID()}`;
  }

  #deliver(key: string, event: Event): void {
    this.#ports.deliveries.submit(event, () => this.#ports.commit.delete(kind, key));
  }
}
