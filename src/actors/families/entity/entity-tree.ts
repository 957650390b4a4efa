// What is monitored, as others ask for it: entities and their checks, each with its actor. Where those stand in the supervision
// tree: entities-place.ts.
import type { CheckContext, CheckFact } from '../../../machines/check/check-facts.ts';
import type { EntityContext, EntityFact } from '../../../machines/entity/entity-facts.ts';
import type { Entity } from '../../../model/entity/entity.ts';
import type { CheckEvent } from '../../../model/event/event.ts';
import { entityKey, keepaliveCheckName } from '../../../model/resource/names.ts';
import type { ActorId } from '../../runtime/contract.ts';
import { contextOf, stateValueOf } from '../../runtime/inspection/snapshot.ts';
import type { Registry } from '../../runtime/registry.ts';
import { type CheckIdentity, checkFamily } from '../check/check-family.ts';
import { type FamilyActors, idOf } from '../kit/family-actors.ts';
import { type FindSupervisor, stopSubject, subjectId } from '../kit/place.ts';
import { type EntityIdentity, entityFamily, entityPlace } from './entity-family.ts';

export const entityId = (namespace: string, name: string): ActorId => idOf(entityFamily, { namespace, name });

export const checkId = (namespace: string, entity: string, check: string): ActorId =>
  idOf(checkFamily, { namespace, entity, check });

const checkPrefix = `${checkFamily.id}:`;

export interface EntityTreePorts {
  readonly registry: Pick<Registry, 'has' | 'peek'>;
  readonly supervisor: FindSupervisor;
  readonly entities: FamilyActors<EntityIdentity, EntityContext, EntityFact>;
  readonly checks: FamilyActors<CheckIdentity, CheckContext, CheckFact>;
}

export class EntityTree {
  readonly #ports: EntityTreePorts;

  constructor(ports: EntityTreePorts) {
    this.#ports = ports;
  }

  /** What is known about an entity; undefined while it is not registered. */
  entity(namespace: string, name: string): Entity | undefined {
    return this.context(namespace, name)?.entity;
  }

  /** Whether an operator wrote the configuration of an entity as it stands. */
  isVouched(namespace: string, name: string): boolean {
    return this.context(namespace, name)?.isVouched === true;
  }

  context(namespace: string, name: string): EntityContext | undefined {
    const snapshot = this.#ports.registry.peek(entityId(namespace, name));
    if (snapshot === undefined) return undefined;
    if (stateValueOf(snapshot) === 'unregistered') return undefined;
    return contextOf<EntityContext>(snapshot);
  }

  /** Whether an entity waits for its removal. */
  isLeaving(namespace: string, name: string): boolean {
    const snapshot = this.#ports.registry.peek(entityId(namespace, name));
    return snapshot !== undefined && stateValueOf(snapshot) === 'deregistering';
  }

  /** The entity's actor, started if there is none. */
  ensureEntity(namespace: string, name: string): ActorId {
    return this.#ports.entities.ensure({ namespace, name });
  }

  /** The actor of one check of an entity, started if there is none. */
  ensureCheck(namespace: string, entity: string, check: string): ActorId {
    return this.#ports.checks.ensure({ namespace, entity, check });
  }

  /** The actor of a check, where it has one. */
  knownCheck(namespace: string, entity: string, check: string): ActorId | undefined {
    const id = checkId(namespace, entity, check);
    return this.#ports.registry.has(id) ? id : undefined;
  }

  hasCheck(namespace: string, entity: string, check: string): boolean {
    return this.#ports.registry.has(checkId(namespace, entity, check));
  }

  /** The checks of an entity that have an actor, its keepalive not counted. */
  checkCount(namespace: string, name: string): number {
    const size = this.#ports.supervisor(subjectId(entityKey(namespace, name)))?.size ?? 0;
    const others =
      Number(this.#ports.registry.has(entityId(namespace, name))) +
      Number(this.hasCheck(namespace, name, keepaliveCheckName));
    return size - others;
  }

  /** The ids of the check actors of an entity. */
  checksOf(namespace: string, name: string): readonly ActorId[] {
    const tree = this.#ports.supervisor(subjectId(entityKey(namespace, name)));
    return (tree?.children() ?? []).map(({ id }) => id).filter((id) => id.startsWith(checkPrefix));
  }

  /** Stops the actors of an entity; what they had to say about records was said before. */
  remove(namespace: string, name: string): Promise<void> {
    return stopSubject(entityPlace, entityKey(namespace, name), this.#ports.supervisor);
  }
}

/** The last event of a check, as its actor has it; null without one. */
export const lastEvent = (
  registry: Pick<Registry, 'peek'>,
  namespace: string,
  entity: string,
  check: string,
): CheckEvent | null => {
  const snapshot = registry.peek(checkId(namespace, entity, check));
  return snapshot === undefined ? null : contextOf<CheckContext>(snapshot).event;
};
