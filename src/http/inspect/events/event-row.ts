// One row of an event list. Contains no labels, annotations or commands, so no secrets.
import { type EventEntry, maskOf } from '../../../actors/events/event-entry.ts';
import type { Acknowledgement } from '../../../model/event/acknowledgement.ts';
import { maxRowOutputCharacters } from '../limits.ts';
import type { EventRow, Rerun, RowAcknowledgement } from './protocol.ts';

export type RerunOf = (entry: EventEntry) => Rerun;

export const rowOf = (entry: EventEntry, rerunOf: RerunOf): EventRow => {
  const { event, since, silenced, masked, masks, namespace } = entry;
  const { id, timestamp, entity, check } = event;
  return {
    id,
    timestamp,
    since,
    rerun: rerunOf(entry),
    entity: {
      metadata: { name: entity.metadata.name, namespace },
      entity_class: entity.entity_class,
      subscriptions: entity.subscriptions,
      last_seen: entity.last_seen,
    },
    check: {
      metadata: { name: check.metadata.name, namespace },
      status: check.status,
      state: check.state ?? '',
      output: check.output.slice(0, maxRowOutputCharacters),
      interval: check.interval,
      ttl: check.ttl,
      executed: check.executed,
      issued: check.issued,
      last_ok: check.last_ok,
      occurrences: check.occurrences,
      occurrences_watermark: check.occurrences_watermark,
      total_state_change: check.total_state_change,
      history: (check.history ?? []).map(({ status, executed }) => ({ status, executed })),
      handlers: check.handlers,
      subscriptions: check.subscriptions,
      proxy_entity_name: check.proxy_entity_name,
      is_silenced: silenced.length > 0,
      silenced,
      masked_by: masked.map(maskOf),
      masks,
      acknowledgement: acknowledgementOf(check.acknowledgement),
      notes: check.incident_notes?.length ?? 0,
    },
  };
};

const acknowledgementOf = (kept: Acknowledgement | null | undefined): RowAcknowledgement | null => {
  if (!kept) return null;
  const { owner, comment, at, remind_every, remind_at } = kept;
  return { owner, comment: comment.slice(0, maxRowOutputCharacters), at, remind_every, remind_at };
};
