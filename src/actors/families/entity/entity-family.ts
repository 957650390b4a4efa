// The family `entity`: one actor for each thing that is watched. It keeps the entity's record, listens for silence after
// keepalives, and speaks to the session, the keepalive check and the pipelines on the machine's behalf.
import type { EntityContext, EntityEffect, EntityFact } from '../../../machines/entity/entity-facts.ts';
import {
  type EntityInput,
  entityInput,
  entityMachine,
  entityVersion,
  restoreEntity,
} from '../../../machines/entity/entity-machine.ts';
import type { EntityConfig } from '../../../model/entity/entity.ts';
import type { CheckEvent, Event } from '../../../model/event/event.ts';
import { entityKey } from '../../../model/resource/names.ts';
import type { LiveActor, Receipt } from '../../runtime/contract.ts';
import { entitiesPlace } from '../kit/entities-place.ts';
import { defineFamily } from '../kit/family.ts';
import { keyParts } from '../kit/keys.ts';
import { maxEntityMail } from '../kit/limits.ts';

export type EntityIdentity = EntityInput;

export interface EntityPorts {
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
  /** At boot: its actor was started; one that could not be restored starts over, unregistered. */
  readonly onRestored: (namespace: string, name: string) => void;
  readonly onForgotten: (namespace: string, name: string) => void;
  /** The store can never take what was last asked of it. */
  readonly onRefused: (namespace: string, name: string) => void;
}

export const entityPlace = entitiesPlace<EntityIdentity>(({ namespace, name }) => entityKey(namespace, name));

export const entityFamily = defineFamily<
  EntityIdentity,
  EntityContext,
  EntityFact,
  EntityEffect,
  EntityPorts
>({
  id: 'entity',
  title: 'one thing that is watched',
  machine: entityMachine,
  mailbox: { capacity: maxEntityMail, overflow: 'refuse' },
  supervise: { restart: 'transient', place: entityPlace },
  durable: {
    kind: 'entity',
    version: entityVersion,
    restore: restoreEntity,
    identityOf(key) {
      const [namespace, name] = keyParts(key, 2);
      return { namespace, name };
    },
  },
  deadlines: {
    keepalive: {
      // Measures the silence of an agent.
      waitsFor: 'silence',
      storedAt: ({ deadlineAtMs }) => deadlineAtMs,
      message: (nowMs, _, { ports }) => ({
        type: 'deadline.reached',
        name: 'keepalive',
        nowMs,
        newId: ports.newId(),
      }),
    },
  },
  key: ({ namespace, name }) => entityKey(namespace, name),
  input: entityInput,
  first: (member, resumed) =>
    resumed === undefined ? undefined : { type: 'entity.resumed', nowMs: member.nowMs() },
  persisting(_, { identity, ports }) {
    ports.onRegistered(identity.namespace, identity.name);
    return undefined;
  },
  refused: ({ identity, ports }) => ports.onRefused(identity.namespace, identity.name),
  forgetting: ({ identity, ports }) => ports.onForgotten(identity.namespace, identity.name),
  restored: ({ namespace, name }, _, { onRestored }) => onRestored(namespace, name),
  perform(effect, actor, member) {
    const { identity, ports } = member;
    switch (effect.type) {
      case 'publish':
        return ports.publish(effect.event, actor.holdReceipt());
      case 'announce':
        // Told to people only once it is durable; the write is the one of the registration itself.
        return member.persist(actor, ({ type }) => {
          if (type !== 'invalid') ports.announce(actor, effect.event);
        });
      case 'config.changed':
        return ports.configChanged(effect.config, effect.isVouched);
      case 'deregister':
        return ports.deregister(identity.namespace, identity.name);
    }
  },
});
