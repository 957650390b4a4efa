// The part of the tree where what is monitored lives: partitions, in them one supervisor an entity, under it the actor of
// the entity and one actor for each of its checks. The failures of one entity stay inside its supervisor.
//
//   entities -> entities/17 -> tree:default/web-01 -> entity:default/web-01
//                                                  -> check:default/web-01/cpu
import { createHash } from 'node:crypto';
import type { CheckContext } from '../../../machines/check/check-facts.ts';
import type { EntityContext } from '../../../machines/entity/entity-facts.ts';
import type { Entity } from '../../../model/entity.ts';
import type { CheckEvent } from '../../../model/event.ts';
import { checkKey, entityKey, keepaliveCheckName } from '../../../model/names.ts';
import type { StoredRecord } from '../../../store/snapshot-store.ts';
import type { ActorId, Behaviour, SupervisorSpec } from '../../runtime/contract.ts';
import { entityPartitions } from '../../runtime/limits.ts';
import type { Registry } from '../../runtime/registry.ts';
import { contextOf, stateValueOf } from '../../runtime/snapshot.ts';
import type { Supervisor } from '../../runtime/supervisor.ts';
import { type CheckPorts, checkBehaviour } from '../check/check-behaviour.ts';
import { type EntityPorts, entityBehaviour } from './entity-behaviour.ts';

export const entityId = (namespace: string, name: string): ActorId => `entity:${entityKey(namespace, name)}`;

export const checkId = (namespace: string, entity: string, check: string): ActorId =>
  `check:${checkKey(namespace, entity, check)}`;

const treeId = (key: string): ActorId => `tree:${key}`;
const partitionId = (index: number): ActorId => `entities/${index}`;

/** The partitions, as children of the supervisor they are started under. */
export const partitionSpecs = (): SupervisorSpec[] =>
  Array.from({ length: entityPartitions }, (_, index) => ({
    id: partitionId(index),
    strategy: 'one_for_one',
    whenFailing: 'quarantine',
  }));

const partitionOf = (key: string): ActorId =>
  partitionId(createHash('md5').update(key).digest().readUInt32LE(0) % entityPartitions);

export interface EntityTreeParts {
  readonly registry: Pick<Registry, 'has' | 'peek'>;
  readonly supervisor: (id: ActorId) => Supervisor | undefined;
  readonly entityPorts: EntityPorts;
  readonly checkPorts: CheckPorts;
}

export class EntityTree {
  readonly #parts: EntityTreeParts;

  constructor(parts: EntityTreeParts) {
    this.#parts = parts;
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
    const snapshot = this.#parts.registry.peek(entityId(namespace, name));
    if (snapshot === undefined) return undefined;
    if (stateValueOf(snapshot) === 'unregistered') return undefined;
    return contextOf<EntityContext>(snapshot);
  }

  /** Whether an entity waits for its removal. */
  isLeaving(namespace: string, name: string): boolean {
    const snapshot = this.#parts.registry.peek(entityId(namespace, name));
    return snapshot !== undefined && stateValueOf(snapshot) === 'deregistering';
  }

  /** The entity's actor, started if there is none. `record` is its durable state. */
  ensureEntity(namespace: string, name: string, record?: StoredRecord): ActorId {
    const id = entityId(namespace, name);
    if (this.#parts.registry.has(id)) return id;
    const behaviour = entityBehaviour({ namespace, name }, this.#parts.entityPorts, record);
    this.#start(entityKey(namespace, name), id, behaviour as Behaviour);
    return id;
  }

  /** The actor of one check of an entity, started if there is none. */
  ensureCheck(namespace: string, entity: string, check: string, record?: StoredRecord): ActorId {
    const id = checkId(namespace, entity, check);
    if (this.#parts.registry.has(id)) return id;
    const behaviour = checkBehaviour({ namespace, entity, check }, this.#parts.checkPorts, record);
    this.#start(entityKey(namespace, entity), id, behaviour as Behaviour);
    return id;
  }

  /** The actor of a check, where it has one. */
  knownCheck(namespace: string, entity: string, check: string): ActorId | undefined {
    const id = checkId(namespace, entity, check);
    return this.#parts.registry.has(id) ? id : undefined;
  }

  hasCheck(namespace: string, entity: string, check: string): boolean {
    return this.#parts.registry.has(checkId(namespace, entity, check));
  }

  /** The checks of an entity that have an actor, its keepalive not counted. */
  checkCount(namespace: string, name: string): number {
    const size = this.#parts.supervisor(treeId(entityKey(namespace, name)))?.size ?? 0;
    const others =
      Number(this.#parts.registry.has(entityId(namespace, name))) +
      Number(this.hasCheck(namespace, name, keepaliveCheckName));
    return size - others;
  }

  /** The ids of the check actors of an entity. */
  checksOf(namespace: string, name: string): readonly ActorId[] {
    const tree = this.#parts.supervisor(treeId(entityKey(namespace, name)));
    return (tree?.children() ?? []).map(({ id }) => id).filter((id) => id.startsWith('check:'));
  }

  /** Stops the actors of an entity; what they had to say about records was said before. */
  async remove(namespace: string, name: string): Promise<void> {
    const key = entityKey(namespace, name);
    await this.#parts.supervisor(partitionOf(key))?.stopChild(treeId(key));
  }

  #start(key: string, id: ActorId, behaviour: Behaviour): void {
    // A tree that is just being stopped takes nobody: the message that was to follow is refused as a dead letter, and
    // its sender tries again.
    this.#treeOf(key)?.startChild({ id, restart: 'transient', behaviour });
  }

  #treeOf(key: string): Supervisor | undefined {
    const id = treeId(key);
    const known = this.#parts.supervisor(id);
    if (known !== undefined) return known;
    const partition = this.#parts.supervisor(partitionOf(key));
    const result = partition?.startSupervisor({ id, strategy: 'one_for_one', whenFailing: 'quarantine' });
    return result?.started === true ? result.supervisor : undefined;
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
