// The registry of clients of the earlier generation: one actor a client, found by name. Here messages from any transport
// become facts.
import { reportedEntity } from '../../../machines/client/client-entity-rule.ts';
import type { ClientContext, ClientFact, ClientRecord } from '../../../machines/client/client-facts.ts';
import {
  isClientName,
  proxyRecord,
  readKeepalive,
  readResult,
} from '../../../machines/client/client-registry-rule.ts';
import { signatureOf } from '../../../machines/client/client-signature-rule.ts';
import type { EntityFact } from '../../../machines/entity/entity-facts.ts';
import type { HookConfig } from '../../../model/check/hook.ts';
import { isMap } from '../../../model/earlier/json.ts';
import { clientNamespace } from '../../../model/earlier/namespace.ts';
import type { Entity } from '../../../model/entity/entity.ts';
import { MonError } from '../../../model/errors.ts';
import type { StoredRecord } from '../../../store/snapshot-store.ts';
import type { GroupCommit } from '../../durable/group-commit.ts';
import { offerMessage } from '../../outcomes/receipts.ts';
import type { ActorMessage, Receipt } from '../../runtime/contract.ts';
import { contextOf, stateValueOf } from '../../runtime/inspection/snapshot.ts';
import type { Registry } from '../../runtime/registry.ts';
import type { EntityTree } from '../entity/entity-tree.ts';
import type { Families } from '../kit/families.ts';
import type { FamilyActors } from '../kit/family-actors.ts';
import type { Turns } from '../schedule/turns.ts';
import { type ClientIdentity, type ClientPorts, clientFamily } from './client-family.ts';
import { type AwakeClient, ClientRequests, type Outlet } from './client-requests.ts';
import { Refusals, type RefusalsPorts } from './refusals.ts';

/** What clients show as their version that the registry made up: the last one of the generation it speaks. */
export const clientRegistryVersion = '1.9.0';

const prefix = `${clientFamily.id}:`;

export interface ClientsPorts
  extends Omit<
    ClientPorts,
    'restored' | 'mirror' | 'refused' | 'entityOf' | 'isAgent' | 'giveWay' | 'isDeaf' | 'leave' | 'report'
  > {
  readonly families: Families;
  readonly commit: Pick<GroupCommit, 'follow'>;
  readonly nowMs: () => number;
  readonly registry: Registry;
  readonly tree: Pick<EntityTree, 'entity' | 'ensureEntity'>;
  readonly admitsEntity: (namespace: string, name: string) => boolean;
  /** Holds a place under the entity limit until what it returns is called. */
  readonly holdEntity: (namespace: string, name: string) => () => void;
  /** An event of the platform about clients. */
  readonly reportFinding: RefusalsPorts['reportFinding'];
  readonly lastStatus: RefusalsPorts['lastStatus'];
  readonly version: string;
  readonly hook: (name: string) => HookConfig | undefined;
  /** Whose turn it was last, of the clients that share a subscription. */
  readonly turns: Pick<Turns, 'take'>;
  readonly after: (delayMs: number, task: () => void) => void;
  /** Removes a client with all its events and its entity. */
  readonly remove: (name: string) => Promise<unknown>;
  readonly onFault: (what: string, error: unknown) => void;
}

/** Of a message that is refused: something to know its sender by. */
const nameIn = (message: unknown, key: 'name' | 'client'): string => {
  const name = isMap(message) ? message[key] : undefined;
  return isClientName(name) ? name : 'a client without a proper name';
};

const takenByAgent = (name: string): MonError =>
  new MonError('conflict', `an agent has the name of client ${name}; rename one of them`);

const overLimit = (name: string): MonError =>
  new MonError(
    'paymentRequired',
    `client ${name} cannot be added: the entity limit is reached; a license with a higher one is required, or --entity-limit 0`,
  );

export interface ClientView {
  readonly name: string;
  readonly record: ClientRecord;
  readonly state: unknown;
}

export class Clients {
  /** Asks clients to run checks. */
  readonly requests: ClientRequests;
  readonly refusals: Refusals;
  readonly #ports: ClientsPorts;
  readonly #actors: FamilyActors<ClientIdentity, ClientContext, ClientFact>;
  readonly #outlets = new Map<string, Outlet>();
  /** What readers see: the records as they were last committed. */
  readonly #committed = new Map<string, StoredRecord>();

  constructor(ports: ClientsPorts) {
    this.#ports = ports;
    this.refusals = new Refusals(ports);
    this.#actors = ports.families.bind(clientFamily, {
      ...ports,
      restored: (name, record) => this.#committed.set(name, record),
      mirror: (name, report, receipt) => {
        const { tree, registry, nowMs } = ports;
        const fact: EntityFact = { type: 'client.reported', report, nowMs: nowMs() };
        registry.tell(tree.ensureEntity(clientNamespace, name), fact, receipt);
      },
      entityOf: (record) => this.#entityOf(record),
      isAgent: (name) => this.#isAgent(name),
      refused: (client, why) => this.refusals.note(client, why),
      giveWay: (name) => this.#giveWay(name),
      isDeaf: (via) => this.#outlets.get(via)?.isConnected() === false,
      leave: (name) => {
        ports.remove(name).catch((error) => ports.onFault(`forgetting client ${name}`, error));
      },
      report: (message) => {
        this.result(message).catch((error) => ports.onFault('a keepalive about another client', error));
      },
    });
    ports.commit.follow('client', (name, record) => {
      if (record === undefined) this.#committed.delete(name);
      else this.#committed.set(name, record);
    });
    this.requests = new ClientRequests({
      ...ports,
      outlets: () => this.#outlets.values(),
      records: () => this.list().map(({ record }) => record),
      awake: () => this.#awake(),
    });
  }

  // What clients say

  /** Resolves after the commit; a forged one resolves too, and changes nothing. Rejects with a MonError. */
  keepalive(message: unknown, via: string): Promise<void> {
    const read = readKeepalive(message);
    if (!read.ok) return this.#refuse(nameIn(message, 'name'), new MonError('invalid', read.why));
    const { name, record } = read;
    const why = this.#unwanted(name);
    if (why !== undefined) return this.#refuse(name, why);
    const { nowMs } = this.#ports;
    return this.#tell(name, {
      type: 'keepalive.received',
      record,
      signature: signatureOf(record),
      via,
      nowMs: nowMs(),
    });
  }

  /** `id` is that of the event that comes of it: a result that is told again under the same one is applied once. */
  result(message: unknown, id = this.#ports.newId()): Promise<void> {
    const read = readResult(message);
    if (!read.ok) return this.#refuse(nameIn(message, 'client'), new MonError('invalid', read.why));
    const { target, sender, result, signature, isProxy } = read;
    const why = this.#unwanted(target);
    if (why !== undefined) return this.#refuse(sender, why);
    const nowMs = this.#ports.nowMs();
    const firstRecord = proxyRecord(target, isProxy, this.#ports.version, nowMs);
    return this.#tell(target, { type: 'result.received', id, result, signature, sender, firstRecord, nowMs });
  }

  /** Another backend hears the clients from now on. Resolves once their actors are gone. */
  async unload(): Promise<void> {
    const names = this.#ports.registry.ids(prefix).map((id) => id.slice(prefix.length));
    await Promise.all(names.map((name) => this.#actors.stop({ name })));
  }

  // What operators do

  /** As committed. */
  list(): readonly ClientView[] {
    return [...this.#committed.keys()]
      .map((name) => this.get(name))
      .filter((view) => view !== undefined)
      .sort((left, right) => (left.name < right.name ? -1 : 1));
  }

  /** As committed. */
  get(name: string): ClientView | undefined {
    const stored = this.#committed.get(name);
    if (stored === undefined) return undefined;
    const { value, context } = stored.state as { readonly value: unknown; readonly context: ClientContext };
    return context.record === null ? undefined : { name, record: context.record, state: value };
  }

  /** Those that are deleted and kept out for a while, until this wall time. */
  barred(): readonly { readonly name: string; readonly untilMs: number }[] {
    return [...this.#committed].flatMap(([name, { state }]) => {
      const { record, deadlineAtMs } = (state as { readonly context: ClientContext }).context;
      return record === null ? [{ name, untilMs: deadlineAtMs ?? 0 }] : [];
    });
  }

  declare(record: ClientRecord): Promise<void> {
    const read = readKeepalive(record);
    if (!read.ok) return Promise.reject(new MonError('invalid', read.why));
    const why = this.#unwanted(read.name);
    if (why !== undefined) return Promise.reject(why);
    return this.#tell(read.name, {
      type: 'client.declared',
      record: read.record,
      nowMs: this.#ports.nowMs(),
    });
  }

  /**
   * Forgets the client itself; its events and its entity are its caller's affair. With a bar, nothing of that name is
   * believed until its end, or until it is lifted. False when there is no such client.
   */
  async delete(name: string, barredUntilMs: number | null = null): Promise<boolean> {
    if (this.get(name) === undefined) return false;
    await this.#tell(name, { type: 'client.deleted', barredUntilMs, nowMs: this.#ports.nowMs() });
    return true;
  }

  /** Moves the bar of a client that was deleted; null ends it. */
  bar(name: string, barredUntilMs: number | null): Promise<void> {
    return this.#tell(name, { type: 'client.deleted', barredUntilMs, nowMs: this.#ports.nowMs() });
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
    const { registry, nowMs } = this.#ports;
    for (const id of registry.ids(prefix)) {
      const snapshot = registry.peek(id);
      if (snapshot === undefined || contextOf<ClientContext>(snapshot).via !== via) continue;
      if (contextOf<ClientContext>(snapshot).deadlineAtMs !== null)
        registry.tell(id, { type: 'client.resumed', nowMs: nowMs() } as ActorMessage);
    }
  }

  /** A new client takes a place under the limit at once: the entity itself is made only later. */
  #tell(name: string, fact: ClientFact): Promise<void> {
    const { tree, holdEntity } = this.#ports;
    if (tree.entity(clientNamespace, name) !== undefined) return this.#offer(name, fact);
    const release = holdEntity(clientNamespace, name);
    return this.#offer(name, fact).finally(release);
  }

  #offer(name: string, fact: ClientFact): Promise<void> {
    return offerMessage((receipt: Receipt) => {
      this.#actors.ensure({ name });
      this.#actors.tell({ name }, fact, receipt);
    });
  }

  /** Why there can be no client of that name; undefined when there can. */
  #unwanted(name: string): MonError | undefined {
    if (this.#isAgent(name)) return takenByAgent(name);
    return this.#ports.admitsEntity(clientNamespace, name) ? undefined : overLimit(name);
  }

  /** A broker carries no answer: operators are notified. */
  #refuse(client: string, why: MonError): Promise<never> {
    this.refusals.note(client, why.message);
    return Promise.reject(why);
  }

  #awake(): readonly AwakeClient[] {
    const { registry } = this.#ports;
    return registry.ids(prefix).flatMap((id) => {
      const snapshot = registry.peek(id);
      if (snapshot === undefined) return [];
      const { name, record, via } = contextOf<ClientContext>(snapshot);
      const { keepalive } = stateValueOf(snapshot) as { readonly keepalive: string };
      // A client that does not want its keepalives watched may run checks anyway.
      const isAwake =
        keepalive === 'healthy' || keepalive === 'warning' || (keepalive === 'proxy' && via !== '');
      return record !== null && isAwake ? [{ name, record, via }] : [];
    });
  }

  #isAgent(name: string): boolean {
    return this.#ports.tree.entity(clientNamespace, name)?.entity_class === 'agent';
  }

  #entityOf(record: ClientRecord): Entity {
    const known = this.#ports.tree.entity(clientNamespace, String(record['name'])) ?? null;
    return reportedEntity(known, { record, heardAtMs: null, isMadeUp: false }, clientNamespace);
  }

  /** A machine that ran a client runs an agent now: what the client would say of its silence is no longer true. */
  #giveWay(name: string): void {
    this.#ports.log.warn({ client: name }, 'an agent took the name of this client; the client is forgotten');
    this.delete(name).catch((error) => this.#ports.onFault(`forgetting client ${name}`, error));
  }
}
