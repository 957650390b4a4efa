// The registry of clients of the earlier generation: one actor a client, found by name. Here messages from any transport
// become facts (earlier-client sheet 3; interface sections 2.11 and 3).
import { clientEntity } from '../../machines/client-event-rule.ts';
import type { ClientContext, ClientFact, ClientRecord } from '../../machines/client-facts.ts';
import { proxyRecord, readKeepalive, readResult } from '../../machines/client-registry-rule.ts';
import { signatureOf } from '../../machines/client-signature-rule.ts';
import { configOf } from '../../machines/registration-rule.ts';
import { MonError } from '../../model/errors.ts';
import type { StoredRecord } from '../../store/snapshot-store.ts';
import type { EntityTree } from '../entities/entity-tree.ts';
import type { ActorId, ActorMessage, Behaviour, Receipt } from '../runtime/contract.ts';
import { offerMessage } from '../runtime/receipts.ts';
import type { Registry } from '../runtime/registry.ts';
import { contextOf, stateValueOf } from '../runtime/snapshot.ts';
import type { Supervisor } from '../runtime/supervisor.ts';
import { type ClientWorld, clientBehaviour, clientNamespace } from './client-behaviour.ts';
import { ClientRequests, type Outlet } from './client-requests.ts';

export const clientsId: ActorId = 'clients';

/** What clients show as their version that the registry made up: the last one of the generation it speaks. */
export const clientRegistryVersion = '1.9.0';

const idOf = (name: string): ActorId => `client:${name}`;
const prefix = 'client:';

export interface ClientsWorld extends Omit<ClientWorld, 'mirror' | 'isDeaf' | 'leave' | 'report'> {
  readonly registry: Registry;
  readonly supervisor: (id: ActorId) => Supervisor | undefined;
  readonly tree: Pick<EntityTree, 'entity' | 'ensureEntity'>;
  readonly admitsEntity: (namespace: string, name: string) => boolean;
  readonly version: string;
  readonly after: (delayMs: number, task: () => void) => void;
  /** Removes a client with all its events and its entity. */
  readonly remove: (name: string) => Promise<unknown>;
  readonly onFault: (what: string, error: unknown) => void;
}

export interface ClientView {
  readonly name: string;
  readonly record: ClientRecord;
  readonly state: unknown;
}

export class Clients {
  /** Asks clients to run checks. */
  readonly requests: ClientRequests;
  readonly #world: ClientsWorld;
  readonly #clientWorld: ClientWorld;
  readonly #outlets = new Map<string, Outlet>();
  /** What the entity of each client was last made of. */
  readonly #mirrored = new Map<string, string>();

  constructor(world: ClientsWorld) {
    this.#world = world;
    this.#clientWorld = {
      ...world,
      mirror: (record) => this.#mirror(record),
      isDeaf: (via) => this.#outlets.get(via)?.isConnected() === false,
      leave: (name) => {
        world.remove(name).catch((error) => world.onFault(`forgetting client ${name}`, error));
      },
      report: (message) => {
        this.result(message).catch((error) => world.onFault('a keepalive about another client', error));
      },
    };
    this.requests = new ClientRequests({
      ...world,
      outlets: () => this.#outlets.values(),
      records: () => this.list().map(({ record }) => record),
    });
  }

  // What clients say

  /** Resolves after the commit; a forged one resolves too, and changes nothing. Rejects with a MonError. */
  keepalive(message: unknown, via: string): Promise<void> {
    const read = readKeepalive(message);
    if (!read.ok) return Promise.reject(new MonError('invalid', read.why));
    const { name, record } = read;
    const entity = this.#world.tree.entity(clientNamespace, name);
    if (entity?.entity_class === 'agent')
      return Promise.reject(
        new MonError('conflict', `an agent has the name of client ${name}; rename one of them`),
      );
    if (!this.#world.admitsEntity(clientNamespace, name))
      return Promise.reject(
        new MonError('paymentRequired', `client ${name} cannot be added: the entity limit is reached`),
      );
    const { nowMs } = this.#world;
    return this.#tell(name, {
      type: 'keepalive.received',
      record,
      signature: signatureOf(record),
      via,
      nowMs: nowMs(),
    });
  }

  /** `id` is that of the event that comes of it: a result that is told again under the same one is applied once. */
  result(message: unknown, id = this.#world.newId()): Promise<void> {
    const read = readResult(message);
    if (!read.ok) return Promise.reject(new MonError('invalid', read.why));
    const { target, sender, result, signature, isProxy } = read;
    if (!this.#world.admitsEntity(clientNamespace, target))
      return Promise.reject(
        new MonError('paymentRequired', `client ${target} cannot be added: the entity limit is reached`),
      );
    const nowMs = this.#world.nowMs();
    const firstRecord = proxyRecord(target, isProxy, this.#world.version, nowMs);
    return this.#tell(target, { type: 'result.received', id, result, signature, sender, firstRecord, nowMs });
  }

  // What operators do

  list(): readonly ClientView[] {
    return this.#world.registry
      .ids(prefix)
      .map((id) => this.get(id.slice(prefix.length)))
      .filter((view) => view !== undefined)
      .sort((left, right) => (left.name < right.name ? -1 : 1));
  }

  get(name: string): ClientView | undefined {
    const snapshot = this.#world.registry.peek(idOf(name));
    if (snapshot === undefined) return undefined;
    const { record } = contextOf<ClientContext>(snapshot);
    return record === null ? undefined : { name, record, state: stateValueOf(snapshot) };
  }

  declare(record: ClientRecord): Promise<void> {
    const read = readKeepalive(record);
    if (!read.ok) return Promise.reject(new MonError('invalid', read.why));
    return this.#tell(read.name, {
      type: 'client.declared',
      record: read.record,
      nowMs: this.#world.nowMs(),
    });
  }

  /**
   * Forgets the client itself; its events and its entity are its caller's affair. With a bar, nothing of that name is
   * believed until its end, or until it is lifted. False when there is no such client.
   */
  async delete(name: string, barredUntilMs: number | null = null): Promise<boolean> {
    if (this.get(name) === undefined) return false;
    await this.#tell(name, { type: 'client.deleted', barredUntilMs, nowMs: this.#world.nowMs() });
    this.#mirrored.delete(name);
    return true;
  }

  /** Moves the bar of a client that was deleted; null ends it. */
  bar(name: string, barredUntilMs: number | null): Promise<void> {
    return this.#tell(name, { type: 'client.deleted', barredUntilMs, nowMs: this.#world.nowMs() });
  }

  // Transports

  attach(outlet: Outlet): void {
    this.#outlets.set(outlet.name, outlet);
  }

  outlet(name: string): Outlet | undefined {
    return this.#outlets.get(name);
  }

  outlets(): readonly Outlet[] {
    return [...this.#outlets.values()];
  }

  /** A transport is back: the silence of those who use it proves nothing. */
  heardAgain(via: string): void {
    const { registry, nowMs } = this.#world;
    for (const id of registry.ids(prefix)) {
      const snapshot = registry.peek(id);
      if (snapshot === undefined || contextOf<ClientContext>(snapshot).via !== via) continue;
      if (contextOf<ClientContext>(snapshot).deadlineAtMs !== null)
        registry.tell(id, { type: 'client.resumed', nowMs: nowMs() } as ActorMessage);
    }
  }

  /** At boot: the actor of a stored client. Throws when the record cannot be used. */
  restore(name: string, record: StoredRecord): void {
    this.#start(name, record);
  }

  #tell(name: string, fact: ClientFact): Promise<void> {
    return offerMessage((receipt: Receipt) => {
      this.#start(name);
      this.#world.registry.tell(idOf(name), fact as ActorMessage, receipt);
    });
  }

  #start(name: string, record?: StoredRecord): void {
    const id = idOf(name);
    if (this.#world.registry.has(id)) return;
    const behaviour = clientBehaviour(name, this.#clientWorld, record) as Behaviour;
    this.#world.supervisor(clientsId)?.startChild({ id, restart: 'transient', behaviour });
  }

  /** The entity is told only when something of the record changed that it shows. */
  #mirror(record: ClientRecord): void {
    const { tree, registry, nowMs } = this.#world;
    const { timestamp: _, ...lasting } = record;
    const entity = clientEntity(record, clientNamespace);
    const { name } = entity.metadata;
    const known = tree.entity(clientNamespace, name);
    if (known?.entity_class === 'agent') return;
    const shown = JSON.stringify(lasting);
    if (known !== undefined && this.#mirrored.get(name) === shown) return;
    this.#mirrored.set(name, shown);
    const fact =
      known === undefined
        ? { type: 'entity.declared', entity, nowMs: nowMs() }
        : { type: 'entity.configured', config: configOf(entity), nowMs: nowMs() };
    registry.tell(tree.ensureEntity(clientNamespace, name), fact);
  }
}
