// What entity and check actors may reach: the pipelines, the silences, and who does what their machines ask for.
import { randomUUID } from 'node:crypto';
import type { CheckFact } from '../../machines/check/check-facts.ts';
import type { EntityFact } from '../../machines/entity/entity-facts.ts';
import type { Mask } from '../../model/check/mask.ts';
import type { CheckEvent } from '../../model/event/event.ts';
import { entityKey, keepaliveCheckName } from '../../model/resource/names.ts';
import type { StoredRecord } from '../../store/snapshot-store.ts';
import { type CheckPorts, checkFamily } from '../families/check/check-family.ts';
import { type EntityPorts, entityFamily } from '../families/entity/entity-family.ts';
import { EntityTree, lastEvent } from '../families/entity/entity-tree.ts';
import type { RegisteredEntities } from '../families/entity/registered-entities.ts';
import { noteAgainMs } from '../families/kit/limits.ts';
import type { Silences } from '../families/silence/silences.ts';
import { reportReceipt } from '../outcomes/receipts.ts';
import { CheckDeliveries } from '../pipelines/check-deliveries.ts';
import { maxAllWaitingDeliveryBytes } from '../pipelines/limits.ts';
import type { Pipelines } from '../pipelines/pipelines.ts';
import type { ActorId } from '../runtime/contract.ts';
import type { Dependencies } from './dependencies.ts';

export interface TreeNeighbours extends Pick<EntityPorts, 'publish' | 'configChanged'> {
  readonly pipelines: Pipelines;
  readonly silences: Silences;
  readonly registered: RegisteredEntities;
  /** What an event depends on and is down now. */
  readonly masksOf: (event: CheckEvent) => readonly Mask[];
  /** At boot: a check came up from this record. */
  readonly entityRestored: (key: string) => void;
  readonly checkRestored: (key: string, record: StoredRecord) => void;
}

export interface Tree {
  readonly tree: EntityTree;
  readonly checkDeliveries: CheckDeliveries;
  /** The deliveries of all checks take as much as they may. */
  readonly isCrowded: () => boolean;
}

export const composeTree = (dependencies: Dependencies, neighbours: TreeNeighbours): Tree => {
  const { runtime, families, log, commit } = dependencies;
  const { maxWaitingDeliveryBytes: maxWaitingBytes = maxAllWaitingDeliveryBytes } = dependencies;
  const { registry, faults } = runtime;
  const { pipelines, silences, registered } = neighbours;
  const nowMs = (): number => runtime.clock.wallMs();
  /**
   * Tells an actor what became of what it asked for: one that is flooded again later, since it waits for this. One that was
   * deleted meanwhile, or stopped, need not know: what is stored tells its next life. A failure is reported.
   */
  const note = (id: ActorId, fact: CheckFact | EntityFact, what: string): void => {
    const report = reportReceipt((error) => faults.report(`noting ${what} of ${id}`, error));
    registry.tell(id, fact, (outcome) => {
      const why = outcome.type === 'busy' ? outcome.why : undefined;
      if (why === 'mailboxFull' || why === 'restarting')
        runtime.deadlines.after(noteAgainMs, () => note(id, fact, what));
      else if (why !== 'noActor' && why !== 'stopped') report(outcome);
    });
  };

  const entityPorts: EntityPorts = {
    newId: randomUUID,
    publish: neighbours.publish,
    configChanged: neighbours.configChanged,
    announce: ({ id }, event) =>
      pipelines.deliveries.submit(event, () =>
        note(id, { type: 'registration.announced', nowMs: nowMs() }, 'the registration'),
      ),
    deregister: (namespace, name) => {
      dependencies
        .deregister(namespace, name)
        .catch((error) => faults.report(`deregistering ${namespace}/${name}`, error));
    },
    onRegistered: (namespace, name) => registered.add(namespace, name),
    onRestored: (namespace, name) => {
      if (tree.context(namespace, name) === undefined) return;
      registered.add(namespace, name);
      registered.noteCommitted(entityKey(namespace, name), true);
      neighbours.entityRestored(entityKey(namespace, name));
    },
    onForgotten: (namespace, name) => registered.delete(namespace, name),
    onRefused: (namespace, name) => registered.takeBack(namespace, name),
  };
  const checkDeliveries = new CheckDeliveries({
    deliveries: pipelines.deliveries,
    commit,
    shards: dependencies.hosting?.shards,
    nowMs,
    after: (delayMs, fire) => void runtime.deadlines.after(delayMs, fire),
    note: (id, fact) => note(id, fact, 'a delivery'),
    mention: (id, fact) => registry.tell(id, fact),
    onBadRecord: (kind, key, error) => log.error({ kind, key, err: error }, 'a record cannot be read back'),
    onFault: (error, key) => faults.report(`reading delivery ${key}`, error),
  });
  const isCrowded = (): boolean => checkDeliveries.waitingBytes >= maxWaitingBytes;
  let lastSeries = 0;
  const checkPorts: CheckPorts = {
    newDeliverySeries() {
      lastSeries = Math.max(lastSeries + 1, Math.floor(nowMs()));
      return lastSeries;
    },
    denied: ({ id }, seq, event) => {
      const trace = pipelines.denied(event);
      if (trace === undefined) return false;
      note(id, { type: 'delivery.finished', seq, nowMs: nowMs(), trace }, 'a delivery');
      return true;
    },
    deliver: ({ id }, key, delivery) => checkDeliveries.deliver(id, key, delivery),
    writesOf: (key, series, changes) => checkDeliveries.writesOf(key, series, changes),
    begun: (key, named) => checkDeliveries.begin(key, named),
    handOver: (key, named) => checkDeliveries.handOver(key, named),
    dropped: (key, total) => {
      pipelines.deliveries.noteDropped();
      // A check that is flooded drops one with each result: every power of two is logged.
      if ((total & (total - 1)) === 0)
        log.warn(
          { check: key, dropped: total },
          'deliveries dropped: too many or too large ones wait for the handlers of this check',
        );
    },
    restored: neighbours.checkRestored,
    liftSilences: (namespace, names) => silences.lift(namespace, names),
    restoreSilences: (namespace, names) => silences.restore(namespace, names),
    endSilences: ({ id }, namespace, names) => {
      silences
        .end(namespace, names)
        .then(() => note(id, { type: 'silences.ended', names }, 'the end of silences'))
        .catch((error) => faults.report(`ending silences of ${id}`, error));
    },
    circumstances: ({ namespace, entity, event }) => ({
      // While its keepalive fails, one alert is enough.
      entityDown: (lastEvent(registry, namespace, entity, keepaliveCheckName)?.check.status ?? 0) > 0,
      silenced: event === null ? [] : silences.matching(event, Math.floor(nowMs() / 1000)),
      masked: event === null ? [] : neighbours.masksOf(event),
      undeliveredTrace: event === null ? undefined : pipelines.unrouted({ ...event, timestamp: 0 }),
      isCrowded: isCrowded(),
    }),
  };
  const tree = new EntityTree({
    registry,
    supervisor: (id) => runtime.supervisor(id),
    entities: families.bind(entityFamily, entityPorts),
    checks: families.bind(checkFamily, checkPorts),
  });
  return { tree, checkDeliveries, isCrowded };
};
