// What is done to whole entities, by operators and when one leaves: declare, configure, delete, deregister.
import { randomUUID } from 'node:crypto';
import type { EntityFact } from '../../../machines/entity/entity-facts.ts';
import { configOf, isManagedByAgent } from '../../../machines/entity/registration-rule.ts';
import type { Entity } from '../../../model/entity/entity.ts';
import { alreadyExists, MonError } from '../../../model/errors.ts';
import type { Event } from '../../../model/event/event.ts';
import { entitySubscription } from '../../../model/resource/names.ts';
import type { ReadModel } from '../../events/read-model.ts';
import { awaitReceipt } from '../../outcomes/receipts.ts';
import type { Pipelines } from '../../pipelines/pipelines.ts';
import type { ResourceTable } from '../../resources/resource-table.ts';
import type { RuntimeLog } from '../../runtime/inspection/facts.ts';
import type { Registry } from '../../runtime/registry.ts';
import type { Sessions } from '../session/sessions.ts';
import { deregistrationEvent, resolvedByDeregistering } from './deregistration.ts';
import { type EntityTree, entityId } from './entity-tree.ts';

export interface EntityServicePorts {
  readonly tree: EntityTree;
  readonly table: ResourceTable;
  readonly registry: Pick<Registry, 'tell'>;
  readonly sessions: Pick<Sessions, 'end'>;
  readonly reader: Pick<ReadModel, 'events'>;
  readonly pipelines: Pick<Pipelines, 'deliveries'>;
  readonly nowMs: () => number;
  /** Handler of deregistration events of agents that name none; empty for none. */
  readonly deregistrationHandler: string;
  readonly log: RuntimeLog;
}

export interface EntityPut {
  /** An entity that exists already is refused. */
  readonly create: boolean;
  /** The operator wrote only some fields; the others keep their writer. */
  readonly isPartial?: boolean | undefined;
}

export class EntityService {
  readonly #ports: EntityServicePorts;

  constructor(ports: EntityServicePorts) {
    this.#ports = ports;
  }

  async put(entity: Entity, { create, isPartial = false }: EntityPut): Promise<Entity> {
    const { namespace = '', name } = entity.metadata;
    if (!this.#ports.table.hasNamespace(namespace)) {
      throw new MonError('notFound', `the namespace ${namespace} does not exist`);
    }
    const known = this.#ports.tree.entity(namespace, name);
    if (known !== undefined && create) throw alreadyExists({ segment: 'entities', namespace, name });
    if ((known !== undefined && isManagedByAgent(known)) || isManagedByAgent(entity)) {
      throw new MonError('conflict', `entity ${name} is managed by its agent`);
    }
    const nowMs = this.#ports.nowMs();
    this.#ports.tree.ensureEntity(namespace, name);
    await this.#tell(
      namespace,
      name,
      known === undefined
        ? { type: 'entity.declared', entity, nowMs, by: 'operator' }
        : { type: 'entity.configured', config: configOf(entity), nowMs, by: isPartial ? 'keep' : 'operator' },
    );
    return this.#ports.tree.entity(namespace, name) ?? entity;
  }

  async delete(namespace: string, name: string): Promise<boolean> {
    const { tree, sessions } = this.#ports;
    if (tree.context(namespace, name) === undefined) return false;
    await Promise.all([
      ...tree.checksOf(namespace, name).map((id) => this.#ask(id, { type: 'check.deleted' })),
      this.#tell(namespace, name, { type: 'entity.deleted', nowMs: this.#ports.nowMs() }),
    ]);
    sessions.end(namespace, name, 'the entity was deleted');
    await tree.remove(namespace, name);
    await this.#endSilencesOf(namespace, name);
    return true;
  }

  /** Silences of a deleted entity do not apply to a new entity of the same name. */
  async #endSilencesOf(namespace: string, entity: string): Promise<void> {
    const subscription = entitySubscription(entity);
    const { items } = this.#ports.table.list('silenced', {
      namespace,
      filter: (entry) => entry['subscription'] === subscription,
    });
    for (const { metadata } of items as readonly { readonly metadata?: { readonly name: string } }[]) {
      if (metadata !== undefined)
        await this.#ports.table.delete({ segment: 'silenced', namespace, name: metadata.name });
    }
  }

  /**
   * An agent fell silent and wanted to be removed then. Its incidents are resolved towards the pipelines and its handler is
   * told; only when they are done everything of it goes, so that a crash in between tells them again. Unless it came back.
   */
  async deregister(namespace: string, name: string): Promise<void> {
    const { tree, reader, nowMs, deregistrationHandler, log } = this.#ports;
    const entity = tree.entity(namespace, name);
    if (entity === undefined) return;
    const { items } = await reader.events({ namespace, entity: name });
    const handler = entity.deregistration.handler ?? deregistrationHandler;
    const deregistration =
      handler === '' ? [] : [deregistrationEvent(entity, handler, nowMs(), randomUUID())];
    await Promise.all(
      [...items.map(resolvedByDeregistering), ...deregistration].map((event) => this.#told(event)),
    );
    if (!tree.isLeaving(namespace, name)) return;
    await this.delete(namespace, name);
    log.info({ namespace, entity: name, handler }, 'entity deregistered');
  }

  #told(event: Event): Promise<void> {
    return new Promise((resolve) => this.#ports.pipelines.deliveries.submit(event, () => resolve()));
  }

  #tell(namespace: string, name: string, fact: EntityFact): Promise<void> {
    return this.#ask(entityId(namespace, name), fact);
  }

  #ask(id: string, fact: { readonly type: string }): Promise<void> {
    return awaitReceipt((receipt) => this.#ports.registry.tell(id, fact, receipt));
  }
}
