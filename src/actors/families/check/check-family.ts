// The family `check`: one actor for each check of each entity. It keeps its last event, waits for its TTL, and hands its
// events to the pipelines, one at a time and in order.
import { remindAtMs } from '../../../machines/check/acknowledgement-rule.ts';
import type {
  CheckContext,
  CheckEffect,
  CheckFact,
  DeliveryChanges,
} from '../../../machines/check/check-facts.ts';
import {
  type CheckInput,
  checkInput,
  checkMachine,
  checkVersion,
  restoreCheck,
} from '../../../machines/check/check-machine.ts';
import type { Mask } from '../../../model/check/mask.ts';
import type { Event } from '../../../model/event/event.ts';
import { checkKey, entityKey } from '../../../model/resource/names.ts';
import type { StoredRecord } from '../../../store/snapshot-store.ts';
import type { Companion } from '../../durable/commit-slot.ts';
import type { Delivery, NamedDeliveries } from '../../pipelines/check-deliveries.ts';
import { deliveryKey } from '../../pipelines/delivery-records.ts';
import type { LiveActor } from '../../runtime/contract.ts';
import { contextOf } from '../../runtime/inspection/snapshot.ts';
import { entitiesPlace } from '../kit/entities-place.ts';
import { defineFamily } from '../kit/family.ts';
import { keyParts } from '../kit/keys.ts';
import { maxCheckMail } from '../kit/limits.ts';

export type CheckIdentity = Pick<CheckInput, 'namespace' | 'entity' | 'check'>;

export interface CheckPorts {
  /** A number that no check had before. */
  readonly newDeliverySeries: () => number;
  /**
   * Whether nobody is told of an event because built-in filters deny it; then the check is told at once that it is done, and
   * notes so in the write under way.
   */
  readonly denied: (source: LiveActor, seq: number, event: Event) => boolean;
  /** Runs the pipelines for one event, whose record has this key; then calls back. Delivers at least once, never throws. */
  readonly deliver: (source: LiveActor, key: string, delivery: Delivery) => void;
  /** What is to be written along with the record of a check for its deliveries to change. */
  readonly writesOf: (key: string, series: number, changes: DeliveryChanges) => readonly Companion[];
  /** A life of a check begins, and these deliveries are what it has to tell. */
  readonly begun: (key: string, named: NamedDeliveries | undefined) => void;
  /** The check is deleted: these, which it still had to tell, are told without it. */
  readonly handOver: (key: string, named: NamedDeliveries) => void;
  /** Deliveries of a check were given up, because too many or too large ones waited: so many since it exists. */
  readonly dropped: (key: string, total: number) => void;
  /** At boot: the check came up from this record. */
  readonly restored: (key: string, record: StoredRecord) => void;
  /** These silences cover nothing from now on; whether they end for good is said once the incident's end is durable. */
  readonly liftSilences: (namespace: string, names: readonly string[]) => void;
  /** Ends silences for good and tells the check once that is durable. Never throws. */
  readonly endSilences: (source: LiveActor, namespace: string, names: readonly string[]) => void;
  /** The end of the incident could not be kept: silences that were lifted cover events again. */
  readonly restoreSilences: (namespace: string, names: readonly string[]) => void;
  /** Completes what only the rest of the backend knows about a TTL that ran out, or about a reminder. */
  readonly circumstances: (context: CheckContext) => {
    readonly entityDown: boolean;
    readonly silenced: readonly string[];
    readonly masked?: readonly Mask[];
    readonly undeliveredTrace?: unknown;
    readonly isCrowded?: boolean;
  };
}

export const checkFamily = defineFamily<CheckIdentity, CheckContext, CheckFact, CheckEffect, CheckPorts>({
  id: 'check',
  title: 'one check of one entity',
  machine: checkMachine,
  mailbox: { capacity: maxCheckMail, overflow: 'refuse' },
  supervise: {
    restart: 'transient',
    place: entitiesPlace(({ namespace, entity }) => entityKey(namespace, entity)),
  },
  durable: {
    kind: 'check',
    version: checkVersion,
    restore: restoreCheck,
    identityOf(key) {
      const [namespace, entity, check] = keyParts(key, 3);
      return { namespace, entity, check };
    },
  },
  deadlines: {
    ttl: {
      // Measures the silence of those who report.
      waitsFor: 'silence',
      storedAt: ({ ttlAtMs }) => ttlAtMs,
      message: (nowMs, context, { ports }) => ({
        type: 'deadline.reached',
        name: 'ttl',
        nowMs,
        ...ports.circumstances(context),
      }),
    },
    reminder: {
      waitsFor: 'time',
      storedAt: remindAtMs,
      message(nowMs, context, { ports }) {
        const { entityDown: _, ...circumstances } = ports.circumstances(context);
        return { type: 'deadline.reached', name: 'reminder', nowMs, ...circumstances };
      },
    },
  },
  key: ({ namespace, entity, check }) => checkKey(namespace, entity, check),
  input: (identity, { newDeliverySeries }) =>
    checkInput({ ...identity, deliverySeries: newDeliverySeries() }),
  first(member, resumed) {
    member.ports.begun(member.key, resumed);
    return resumed === undefined ? undefined : { type: 'check.resumed', nowMs: member.nowMs() };
  },
  persisting(effect, { key, ports }, { deliverySeries }) {
    if (effect.type !== 'persist') return undefined;
    if (effect.dropped !== undefined) ports.dropped(key, effect.dropped);
    if (effect.deliveries === undefined) return undefined;
    return ports.writesOf(key, deliverySeries, effect.deliveries);
  },
  forgetting: ({ key, ports }, context) => ports.handOver(key, context),
  restored: ({ namespace, entity, check }, record, { restored }) =>
    restored(checkKey(namespace, entity, check), record),
  perform(effect, actor, member) {
    const { ports } = member;
    if (effect.type === 'silences.resolve') {
      const { namespace } = member.identity;
      const { names } = effect;
      ports.liftSilences(namespace, names);
      // Only once it is durable that the incident is over: a crash before that must find the silence in place.
      return member.persist(actor, ({ type }) => {
        if (type === 'invalid') ports.restoreSilences(namespace, names);
        else ports.endSilences(actor, namespace, names);
      });
    }
    const { seq, event } = effect;
    if (event !== undefined && ports.denied(actor, seq, event)) return;
    const { deliverySeries } = contextOf<CheckContext>(actor.snapshot());
    const record = deliveryKey(member.key, deliverySeries, seq);
    // Told to people only once it is durable. The write is the same one the acknowledgement waits for. A store
    // that cannot write must not keep an alert from going out, so the outcome does not matter here.
    // One that the store can never take is different: its sender is told so, and nobody else hears of it.
    member.persist(actor, ({ type }) => {
      if (type !== 'invalid') ports.deliver(actor, record, { seq, event });
    });
  },
});
