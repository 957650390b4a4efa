// The entity actor: makes the entity machine live. It keeps the entity's record, listens for silence after keepalives,
// and speaks to the session, the keepalive check and the pipelines on the machine's behalf.
import type { EntityContext, EntityEffect, EntityFact } from '../../../machines/entity/entity-facts.ts';
import {
  entityInput,
  entityMachine,
  entityVersion,
  restoreEntity,
} from '../../../machines/entity/entity-machine.ts';
import type { EntityConfig } from '../../../model/entity.ts';
import type { CheckEvent, Event } from '../../../model/event.ts';
import { entityKey } from '../../../model/names.ts';
import type { StoredRecord } from '../../../store/snapshot-store.ts';
import type { GroupCommit } from '../../durable/group-commit.ts';
import { orBeginAgain } from '../../durable/or-begin-again.ts';
import { durableOrigin, type SetAside } from '../../durable/origin.ts';
import { recordBody } from '../../durable/records.ts';
import type { Behaviour, LiveActor, Receipt } from '../../runtime/contract.ts';
import { maxEntityMail } from '../../runtime/limits.ts';
import { contextOf } from '../../runtime/snapshot.ts';

export interface EntityPorts {
  readonly commit: Pick<GroupCommit, 'put' | 'delete' | 'latest'>;
  readonly setAside: SetAside;
  readonly nowMs: () => number;
  readonly newId: () => string;
  /** Hands a keepalive event to the entity's check `keepalive`. */
  readonly publish: (event: CheckEvent, receipt: Receipt) => void;
  /** Runs the pipelines for a registration event, then tells the entity. Never throws. */
  readonly announce: (source: LiveActor, event: Event) => void;
  readonly configChanged: (config: EntityConfig, isVouched: boolean) => void;
  /** The entity asked to be removed when it fell silent. */
  readonly deregister: (namespace: string, name: string) => void;
  /** The entity is in the store, or will be with the commit under way: it counts towards the limit. */
  readonly onRegistered: (namespace: string, name: string) => void;
  readonly onForgotten: (namespace: string, name: string) => void;
  /** The store can never take what was last asked of it. */
  readonly onRefused: (namespace: string, name: string) => void;
}

export interface EntityIdentity {
  readonly namespace: string;
  readonly name: string;
}

export const entityBehaviour = (
  identity: EntityIdentity,
  ports: EntityPorts,
  record?: StoredRecord,
): Behaviour<EntityEffect> => {
  const key = entityKey(identity.namespace, identity.name);
  return {
    machine: entityMachine,
    mailbox: { capacity: maxEntityMail, overflow: 'refuse' },
    begin: durableOrigin({
      kind: 'entity',
      key,
      commit: ports.commit,
      record,
      restore: restoreEntity,
      input: entityInput(identity),
      setAside: ports.setAside,
    }),
    firstMessage: (origin) =>
      'snapshot' in origin
        ? ({ type: 'entity.resumed', nowMs: ports.nowMs() } satisfies EntityFact)
        : undefined,
    onDeadline: (name, nowMs) =>
      name === 'keepalive'
        ? ({ type: 'deadline.reached', name, nowMs, newId: ports.newId() } satisfies EntityFact)
        : undefined,
    perform: (effect, actor) => perform(effect, actor, identity, ports),
  };
};

const perform = (
  effect: EntityEffect,
  actor: LiveActor,
  identity: EntityIdentity,
  ports: EntityPorts,
): void => {
  const key = entityKey(identity.namespace, identity.name);
  switch (effect.type) {
    case 'persist':
      ports.onRegistered(identity.namespace, identity.name);
      return persist(actor, key, ports, takingBack(actor.holdReceipt(), identity, ports));
    case 'deadline.set':
      // Measures the silence of an agent: a backend that slept itself must not hold that against it.
      return actor.setDeadline(effect.name, effect.atMs, { forgiving: true });
    case 'deadline.clear':
      return actor.clearDeadline(effect.name);
    case 'publish':
      return ports.publish(effect.event, actor.holdReceipt());
    case 'announce':
      // Told to people only once it is durable; the write is the one of the registration itself.
      return persist(actor, key, ports, ({ type }) => {
        if (type !== 'invalid') ports.announce(actor, effect.event);
      });
    case 'config.changed':
      return ports.configChanged(effect.config, effect.isVouched);
    case 'deregister':
      return ports.deregister(identity.namespace, identity.name);
    case 'forget':
      ports.onForgotten(identity.namespace, identity.name);
      return ports.commit.delete('entity', key, actor.holdReceipt());
  }
};

const takingBack =
  (settle: Receipt, { namespace, name }: EntityIdentity, ports: EntityPorts): Receipt =>
  (outcome) => {
    if (outcome.type === 'invalid') ports.onRefused(namespace, name);
    settle(outcome);
  };

const persist = (actor: LiveActor, key: string, ports: EntityPorts, settle: Receipt): void => {
  const snapshot = actor.snapshot();
  ports.commit.put(
    'entity',
    key,
    () => {
      const { deadlineAtMs } = contextOf<EntityContext>(snapshot);
      const deadlines = deadlineAtMs === null ? [] : [{ name: 'keepalive', atMs: deadlineAtMs }];
      return recordBody('entity', entityVersion, snapshot, deadlines);
    },
    orBeginAgain(actor, settle),
  );
};
