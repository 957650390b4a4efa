// The records of deliveries: one for each event of a check that the pipelines are not done with. The record of the check names
// them by number. A delivery's record is durable no later than the check's record that names it, and is deleted when the
// delivery is finished: a name without a record is a delivery that was finished.
import type { DeliveryChanges } from '../../machines/check/check-facts.ts';
import type { Event } from '../../model/event/event.ts';
import { isObject } from '../../model/schema/is-object.ts';
import type { RecordKind, StoredRecord } from '../../store/snapshot-store.ts';
import type { Companion } from '../durable/commit-slot.ts';
import type { RecordBody } from '../durable/records.ts';

export const deliveryKind: RecordKind = 'delivery';

/** `check` is the key of the check's record. */
export const deliveryKey = (check: string, series: number, seq: number): string =>
  `${check}/${series}-${seq}`;

export interface DeliveryName {
  /** The key of the check's record. */
  readonly check: string;
  readonly series: number;
  readonly seq: number;
}

const keyForm = /^(.+)\/(\d+)-(\d+)$/;

/** Undefined for a key that no delivery has. */
export const parseDeliveryKey = (key: string): DeliveryName | undefined => {
  const [, check, series, seq] = keyForm.exec(key) ?? [];
  return check === undefined ? undefined : { check, series: Number(series), seq: Number(seq) };
};

export const deliveryBody = (event: Event): RecordBody => ({
  machine: 'delivery',
  version: 1,
  deadlines: [],
  state: { event },
});

/** Undefined when there is none in the record. */
export const eventInDelivery = ({ state }: StoredRecord): Event | undefined => {
  const event = isObject(state) ? state['event'] : undefined;
  return isObject(event) && isObject(event['entity']) ? (event as unknown as Event) : undefined;
};

/** What is written along with the record of a check, so that its deliveries change with it. */
export const deliveryWrites = (
  check: string,
  series: number,
  { added, finished, dropped }: DeliveryChanges,
): readonly Companion[] => {
  const kind = deliveryKind;
  const key = (seq: number): string => deliveryKey(check, series, seq);
  return [
    ...added.map(({ seq, event }) => ({
      type: 'put' as const,
      kind,
      key: key(seq),
      encode: () => deliveryBody(event),
    })),
    ...finished.map((seq) => ({ type: 'delete' as const, kind, key: key(seq), last: false })),
    // Until it is durable that others took its place, it is what the stored check has to tell.
    ...dropped.map((seq) => ({ type: 'delete' as const, kind, key: key(seq), last: true })),
  ];
};
