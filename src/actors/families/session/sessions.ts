// The agents that are connected to this backend: who listens to which subscription, and the two kinds of message that go
// out to them. Each connection is an actor of its own under the supervisor `sessions`; it is never restarted, since the
// agent connects again by itself.
import { configOf, withoutManagedLabel } from '../../../machines/entity/registration-rule.ts';
import type { SessionContext, SessionFact } from '../../../machines/session/session-facts.ts';
import type { Entity, EntityConfig } from '../../../model/entity/entity.ts';
import { entityKey, entitySubscription } from '../../../model/resource/names.ts';
import { encodeFrame } from '../../../wire/frames.ts';
import { type CheckRequest, unknownEntityName } from '../../../wire/messages.ts';
import type { FamilyActors } from '../kit/family-actors.ts';
import { RequestQueue } from './request-queue.ts';
import type { SessionIdentity } from './session-family.ts';
import { SubscriptionIndex } from './subscription-index.ts';

/** What the edge knows of a connection that has passed every check of the handshake. */
export interface Connection {
  readonly namespace: string;
  readonly agentName: string;
  readonly user: string;
  readonly subscriptions: readonly string[];
  readonly contentType: string;
  readonly mutualTls: boolean;
  /** False when the connection is gone or its buffer is full. */
  send(frame: Buffer | string): boolean;
  close(code: number, reason: string): void;
}

export interface Session extends SessionIdentity {
  readonly connection: Connection;
}

export interface OpenSession {
  /** The connection is gone. `isStopped`: the agent said that it stopped. */
  closed(reason: string, how?: { readonly isStopped: boolean }): void;
}

export interface SessionsPorts {
  readonly nowMs: () => number;
  readonly storedEntity: (namespace: string, name: string) => Entity | undefined;
  /** Whether an operator wrote the configuration of an entity as it stands; the agent is told if not. */
  readonly isVouched: (namespace: string, name: string) => boolean;
  readonly actors: Pick<FamilyActors<SessionIdentity, SessionContext, SessionFact>, 'start' | 'tell'>;
  readonly onUndeliverable: (session: Session, frameType: string) => void;
  /** A check with secrets was not sent to this agent: it showed no certificate. */
  readonly onUntrusted: (session: Session, check: string) => void;
}

export class Sessions {
  readonly #ports: SessionsPorts;
  readonly #byEntity = new Map<string, Session>();
  readonly #index = new SubscriptionIndex<Session>();
  readonly #requests = new RequestQueue<Session>();
  #opened = 0;
  #unknown: { readonly namespace: string; readonly frame: Buffer } | undefined;

  constructor(ports: SessionsPorts) {
    this.#ports = ports;
  }

  get count(): number {
    return this.#byEntity.size;
  }

  /** Check requests that are still being written to their agents. */
  get requestsWaiting(): number {
    return this.#requests.size;
  }

  all(): IterableIterator<Session> {
    return this.#byEntity.values();
  }

  /** A connection was accepted. The agent is sent the configuration its entity has here; the stored one wins. */
  open(connection: Connection): OpenSession {
    this.#opened += 1;
    const { namespace, agentName } = connection;
    const nowMs = this.#ports.nowMs();
    const session: Session = {
      namespace,
      agent: agentName,
      number: this.#opened,
      user: connection.user,
      connectedAtMs: nowMs,
      connection,
    };
    this.#byEntity.set(entityKey(namespace, agentName), session);
    this.#ports.actors.start(session);
    const entity = this.#ports.storedEntity(namespace, agentName);
    this.#listen(session, entity?.subscriptions ?? connection.subscriptions);
    const isVouched = entity === undefined || this.#ports.isVouched(namespace, agentName);
    if (entity === undefined) this.#deliver(session, 'entity_config', this.#unknownFrame(namespace));
    else this.#sendConfig(session, configOf(entity), isVouched);
    this.#ports.actors.tell(session, { type: 'session.established', nowMs });
    return { closed: (reason, how) => this.#closed(session, reason, how?.isStopped === true) };
  }

  /** The stored configuration changed: the live session changes its subscriptions, and the agent adopts it. */
  configure(config: EntityConfig, isVouched: boolean): void {
    const session = this.#byEntity.get(entityKey(config.metadata.namespace ?? '', config.metadata.name));
    if (session === undefined) return;
    this.#listen(session, config.subscriptions);
    this.#sendConfig(session, config, isVouched);
  }

  /** The entity was deleted: the agent must connect and register again. */
  end(namespace: string, agentName: string, reason: string): void {
    const session = this.#byEntity.get(entityKey(namespace, agentName));
    if (session !== undefined) void this.#askToLeave(session, reason);
  }

  /** Whether a connected agent has one of the subscriptions. */
  reaches(namespace: string, subscriptions: readonly string[]): boolean {
    return subscriptions.some((one) => this.#index.holders(namespace, one).length > 0);
  }

  /** The connected agents that share a subscription and have no mutual TLS. */
  untrusted(namespace: string, subscriptions: readonly string[]): readonly string[] {
    return [...this.#index.reach(namespace, subscriptions)]
      .filter(({ connection }) => !connection.mutualTls)
      .map(({ connection }) => connection.agentName);
  }

  /** The agents that hold a subscription, in alphabetical order: the ring of a round robin. */
  ring(namespace: string, subscription: string): readonly string[] {
    return this.#index
      .holders(namespace, subscription)
      .map(({ connection }) => connection.agentName)
      .sort();
  }

  /**
   * Sends a request to every session that shares a subscription, once each; to large numbers of them over several turns of the
   * event loop. Returns how many it goes to. A request with secrets goes only to agents that showed a certificate;
   * the others are named in the log.
   */
  request(namespace: string, subscriptions: readonly string[], request: CheckRequest): number {
    const reached = this.#index.reach(namespace, subscriptions);
    if ((request.secrets ?? []).length > 0) {
      for (const session of reached) {
        if (session.connection.mutualTls) continue;
        this.#ports.onUntrusted(session, request.config.metadata.name);
        reached.delete(session);
      }
    }
    if (reached.size === 0) return 0;
    const frame = encodeFrame('check_request', JSON.stringify(request));
    this.#requests.add(reached, (session) => {
      // It may have gone while the request waited for its turn.
      if (this.#index.has(session)) this.#deliver(session, 'check_request', frame);
    });
    return reached.size;
  }

  /** Resolves when every agent was asked to go. */
  async drain(reason: string): Promise<void> {
    await Promise.all([...this.#byEntity.values()].map((session) => this.#askToLeave(session, reason)));
  }

  #askToLeave(session: Session, reason: string): Promise<void> {
    const fact: SessionFact = { type: 'drain.requested', nowMs: this.#ports.nowMs(), reason };
    return new Promise((resolve) => {
      this.#ports.actors.tell(session, fact, ({ type }) => {
        // Its actor is gone, and can't close it any more.
        if (type !== 'done') session.connection.close(1001, reason);
        resolve();
      });
    });
  }

  /** `entity:<name>` is how one agent alone is reached: nobody listens to that of another, whatever its entity says. */
  #listen(session: Session, subscriptions: readonly string[]): void {
    const { namespace, agentName } = session.connection;
    const own = entitySubscription(agentName);
    const others = subscriptions.filter((name) => !name.startsWith(entitySubscription('')));
    this.#index.set(session, namespace, [...others, own]);
  }

  #sendConfig(session: Session, config: EntityConfig, isVouched: boolean): void {
    const told = { ...withoutManagedLabel(config), ...(isVouched ? {} : { unvouched: true }) };
    this.#deliver(session, 'entity_config', encodeFrame('entity_config', JSON.stringify(told)));
  }

  /** Every new agent of a namespace gets the same bytes: when many connect at once, they are made and encoded once. */
  #unknownFrame(namespace: string): Buffer {
    if (this.#unknown?.namespace !== namespace)
      this.#unknown = {
        namespace,
        frame: encodeFrame('entity_config', JSON.stringify(unknownConfig(namespace))),
      };
    return this.#unknown.frame;
  }

  #deliver(session: Session, type: string, frame: Buffer): void {
    if (!session.connection.send(frame)) this.#ports.onUndeliverable(session, type);
  }

  #closed(session: Session, reason: string, isStopped: boolean): void {
    this.#index.remove(session);
    const { namespace, agentName } = session.connection;
    const key = entityKey(namespace, agentName);
    const isLast = this.#byEntity.get(key) === session;
    if (isLast) this.#byEntity.delete(key);
    this.#ports.actors.tell(session, {
      type: 'connection.closed',
      nowMs: this.#ports.nowMs(),
      reason,
      isStopped: isLast && isStopped,
    });
  }
}

/** Tells an agent that it is not known yet: it keeps its own configuration and registers with its first keepalive. */
const unknownConfig = (namespace: string): EntityConfig => ({
  metadata: { name: unknownEntityName, namespace },
  entity_class: 'agent',
  subscriptions: [],
  deregister: false,
  deregistration: {},
});
