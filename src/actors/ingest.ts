// Where a validated event enters the actor world: its entity is resolved, the silences of now are named, and the fact is
// told to the one actor that owns this entity and check. The edge's acknowledgement hangs on the receipt.
import type { CheckFact, EventWrite } from '../machines/check/check-facts.ts';
import type { EntityFact } from '../machines/entity/entity-facts.ts';
import type { Mask } from '../model/check/mask.ts';
import { blankEntity, type Entity, withOwnSubscription } from '../model/entity/entity.ts';
import { MonError } from '../model/errors.ts';
import {
  type CheckEvent,
  type Event,
  eventNamespace,
  hasCheck,
  writtenEntity,
} from '../model/event/event.ts';
import { withMetricHandlers } from '../model/event/metric-handlers.ts';
import type { Elsewhere, OfferedEvent } from './elsewhere.ts';
import { importTraceOf, isSignOfLife } from './events/written-event.ts';
import type { EntityGate } from './families/entity/entity-bounds.ts';
import type { EntityTree } from './families/entity/entity-tree.ts';
import type { Silences } from './families/silence/silences.ts';
import type { Receipt } from './runtime/contract.ts';
import { joinReceipts } from './runtime/receipts.ts';
import type { Registry } from './runtime/registry.ts';

export interface IngestPorts {
  readonly tree: EntityTree;
  readonly registry: Pick<Registry, 'tell'>;
  readonly nowMs: () => number;
  readonly newId: () => string;
  readonly namespaceExists: (namespace: string) => boolean;
  readonly admitsEntity: (namespace: string, name: string) => boolean;
  /** Whether the entity of an event may hold it. */
  readonly gate: Pick<EntityGate, 'newCheckRefusal' | 'sizeRefusal'>;
  readonly silences: Pick<Silences, 'matching' | 'endingOnResolve'>;
  /** What an event depends on and is down now. */
  readonly masksOf: (event: CheckEvent) => readonly Mask[];
  /** The trace of an event that names nobody who can be told; undefined when somebody can. */
  readonly unrouted: (event: Event) => unknown;
  /** The deliveries of all checks take as much as they may. */
  readonly isCrowded: () => boolean;
  /** In a cluster: where entities live that are not here. */
  readonly elsewhere?: Elsewhere | undefined;
  /** To the pipelines: an event without a check is handled and not kept. The receipt is called once it is durable. */
  readonly announce: (event: Event, receipt: Receipt) => void;
}

export class Ingest {
  readonly #ports: IngestPorts;

  constructor(ports: IngestPorts) {
    this.#ports = ports;
  }

  /** A result or metrics, from an agent. The receipt is called after the commit. */
  event(event: Event, receipt: Receipt): void {
    // Metrics alone change nothing of their entity: they are handled where they arrive.
    if (hasCheck(event) && this.#livesElsewhere(event, writtenEntity(event)))
      this.#send(writtenEntity(event), { type: 'event', event }, receipt);
    else this.#event(event, receipt);
  }

  /** An event that another backend sent here because its entity lives here. */
  here(offered: OfferedEvent, receipt: Receipt): void {
    if (offered.type === 'written') this.#write(offered.event, offered.repeatKey, receipt);
    else if (offered.type === 'keepalive') this.#keepalive(offered.event, receipt);
    else if (offered.type === 'platform') this.#platform(offered.event, receipt);
    else this.#event(offered.event, receipt);
  }

  #event(event: Event, receipt: Receipt): void {
    const namespace = eventNamespace(event);
    if (!this.#ports.namespaceExists(namespace)) return refuse(receipt, missingNamespace(namespace));
    if (!hasCheck(event)) return this.#ports.announce(event, receipt);
    this.#result(namespace, event, receipt);
  }

  /**
   * An event that a client of the API wrote. Its entity is the one that is known by that name; one that nobody knows becomes
   * a proxy entity, whatever its class. The receipt is called after the commit.
   */
  write(written: Event, repeatKey: string | null, receipt: Receipt): void {
    if (isSignOfLife(written)) return this.keepalive(written, receipt);
    if (this.#livesElsewhere(written, writtenEntity(written)))
      this.#send(writtenEntity(written), { type: 'written', event: written, repeatKey }, receipt);
    else this.#write(written, repeatKey, receipt);
  }

  #write(written: Event, repeatKey: string | null, receipt: Receipt): void {
    const namespace = eventNamespace(written);
    if (!this.#ports.namespaceExists(namespace)) return refuse(receipt, missingNamespace(namespace));
    const target = written.check?.proxy_entity_name || written.entity.metadata.name;
    if (hasCheck(written)) {
      const refusal = this.#ports.gate.sizeRefusal(namespace, target, written);
      if (refusal !== null) return refuse(receipt, refusal);
    }
    const placed = this.#place(namespace, target, withMetricHandlers(written), receipt);
    if (placed === undefined) return;
    const { event } = placed;
    if (!hasCheck(event)) return this.#ports.announce(event, placed.receipt);
    const importTrace = importTraceOf(event, this.#ports.nowMs());
    this.#tellCheck(namespace, event, placed.receipt, { repeatKey, importTrace });
  }

  /** A keepalive goes to the entity first, which then publishes it as an event of the check `keepalive`. */
  keepalive(event: Event, receipt: Receipt): void {
    const { name } = event.entity.metadata;
    if (this.#livesElsewhere(event, name)) this.#send(name, { type: 'keepalive', event }, receipt);
    else this.#keepalive(event, receipt);
  }

  #keepalive(event: Event, receipt: Receipt): void {
    const namespace = eventNamespace(event);
    const { name } = event.entity.metadata;
    if (!this.#ports.namespaceExists(namespace)) return refuse(receipt, missingNamespace(namespace));
    if (!hasCheck(event)) return refuse(receipt, new MonError('invalid', 'a keepalive must carry a check'));
    if (!this.#ports.admitsEntity(namespace, name)) return refuse(receipt, overLimit(name));
    const fact: EntityFact = {
      type: 'keepalive.received',
      event,
      nowMs: this.#ports.nowMs(),
      newId: this.#ports.newId(),
    };
    this.#ports.registry.tell(this.#ports.tree.ensureEntity(namespace, name), fact, receipt);
  }

  /** An event of a backend about itself. Its entity, of class `backend`, lives where the name of the backend belongs. */
  platform(event: Event, receipt: Receipt): void {
    const { name } = event.entity.metadata;
    if (this.#livesElsewhere(event, name)) this.#send(name, { type: 'platform', event }, receipt);
    else this.#platform(event, receipt);
  }

  #platform(event: Event, receipt: Receipt): void {
    const namespace = eventNamespace(event);
    if (!this.#ports.namespaceExists(namespace)) return refuse(receipt, missingNamespace(namespace));
    if (!hasCheck(event)) return refuse(receipt, new MonError('invalid', 'it must carry a check'));
    const { entity } = event;
    const [forEntity, forEvent] = joinReceipts(receipt);
    // It would become a proxy entity otherwise.
    const fact: EntityFact = { type: 'entity.declared', entity, nowMs: this.#ports.nowMs() };
    this.#ports.registry.tell(
      this.#ports.tree.ensureEntity(namespace, entity.metadata.name),
      fact,
      forEntity,
    );
    this.#tellCheck(namespace, event, forEvent);
  }

  /** What an entity actor made of a keepalive, or of its absence: an event of the check `keepalive`. */
  publishKeepalive(event: CheckEvent, receipt: Receipt): void {
    this.#tellCheck(eventNamespace(event), event, receipt);
  }

  #livesElsewhere(event: Event, entity: string): boolean {
    const { elsewhere } = this.#ports;
    return elsewhere !== undefined && !elsewhere.isHere(eventNamespace(event), entity);
  }

  #send(entity: string, offered: OfferedEvent, receipt: Receipt): void {
    this.#ports.elsewhere?.offer(eventNamespace(offered.event), entity, offered, receipt);
  }

  #result(namespace: string, event: CheckEvent, receipt: Receipt): void {
    const target = targetEntity(event);
    const refusal = this.#ports.gate.sizeRefusal(namespace, target ?? event.entity.metadata.name, event);
    if (refusal !== null) return refuse(receipt, refusal);
    if (target === undefined) return this.#tellCheck(namespace, event, receipt);
    const placed = this.#place(namespace, target, event, receipt);
    if (placed !== undefined) this.#tellCheck(namespace, placed.event, placed.receipt);
  }

  /** The event with its entity; an unknown entity is created. Undefined if that was refused. */
  #place<T extends Event>(
    namespace: string,
    target: string,
    event: T,
    receipt: Receipt,
  ): { readonly event: T; readonly receipt: Receipt } | undefined {
    const known = this.#ports.tree.entity(namespace, target);
    if (known !== undefined) return { event: { ...event, entity: known }, receipt };
    if (!this.#ports.admitsEntity(namespace, target)) {
      refuse(receipt, overLimit(target));
      return undefined;
    }
    const entity = proxyEntity(namespace, target, event);
    const [forEntity, forEvent] = joinReceipts(receipt);
    const fact: EntityFact = { type: 'entity.declared', entity, nowMs: this.#ports.nowMs() };
    this.#ports.registry.tell(this.#ports.tree.ensureEntity(namespace, target), fact, forEntity);
    return { event: { ...event, entity }, receipt: forEvent };
  }

  #tellCheck(namespace: string, event: CheckEvent, receipt: Receipt, write?: EventWrite): void {
    const nowMs = this.#ports.nowMs();
    const { tree, gate } = this.#ports;
    const [entity, check] = [event.entity.metadata.name, event.check.metadata.name];
    const known = tree.knownCheck(namespace, entity, check);
    const refusal = known === undefined ? gate.newCheckRefusal(namespace, entity, check) : null;
    if (refusal !== null) return refuse(receipt, refusal);
    const id = known ?? tree.ensureCheck(namespace, entity, check);
    const silenced = this.#ports.silences.matching(event, Math.floor(nowMs / 1000));
    const expiring = this.#ports.silences.endingOnResolve(namespace, silenced);
    const undeliveredTrace = this.#ports.unrouted(event);
    const isCrowded = this.#ports.isCrowded();
    const masked = this.#ports.masksOf(event);
    const around = { nowMs, silenced, expiring, masked, undeliveredTrace, isCrowded, write };
    const fact: CheckFact = { type: 'result.received', event, ...around };
    this.#ports.registry.tell(id, fact, receipt);
  }
}

/** The entity an event speaks of, when that is not simply the one that sent it. */
const targetEntity = (event: CheckEvent): string | undefined => {
  const isOwn = event.check.proxy_entity_name === '' && event.entity.entity_class === 'agent';
  return isOwn ? undefined : writtenEntity(event);
};

/** The entity that is created because an event named it. One named by `proxy_entity_name` starts blank. */
const proxyEntity = (namespace: string, name: string, event: Event): Entity => {
  const isNamedByCheck = (event.check?.proxy_entity_name ?? '') !== '';
  if (isNamedByCheck) return withOwnSubscription(blankEntity(namespace, name, 'proxy'));
  const metadata = { ...event.entity.metadata, name, namespace };
  return withOwnSubscription({ ...event.entity, metadata, entity_class: 'proxy' });
};

const refuse = (receipt: Receipt, error: MonError): void => receipt({ type: 'invalid', error });

const missingNamespace = (namespace: string): MonError =>
  new MonError('notFound', `the namespace ${namespace} does not exist`);

const overLimit = (name: string): MonError =>
  new MonError(
    'paymentRequired',
    `entity ${name} cannot be added: the entity limit is reached. A valid license with a sufficient entity limit is required, or start the backend with --entity-limit 0`,
  );
