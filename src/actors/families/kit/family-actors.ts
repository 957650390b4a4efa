// The actors of one family, once it is known what they may reach: starts them, finds them, tells them facts.
import type { StoredRecord } from '../../../store/snapshot-store.ts';
import type { HostedShards } from '../../durable/hosted-shards.ts';
import type { ActorId, ActorMessage, Behaviour, ChildSpec, Receipt } from '../../runtime/contract.ts';
import { contextOf, stateValueOf } from '../../runtime/inspection/snapshot.ts';
import type { Registry } from '../../runtime/registry.ts';
import type { Supervisor } from '../../runtime/supervision/supervisor.ts';
import type { Effect, Family } from './family.ts';
import { FamilyBehaviour, type FamilyServices } from './family-behaviour.ts';
import { type FindSupervisor, type Place, supervisorFor } from './place.ts';

export interface FamilyHost extends FamilyServices {
  /** In a cluster: the shards whose actors may run here. */
  readonly shards?: Pick<HostedShards, 'writes'> | undefined;
  readonly registry: Pick<Registry, 'tell' | 'has' | 'peek'>;
  readonly supervisor: FindSupervisor;
}

export class FamilyActors<TIdentity, TContext, TMessage extends ActorMessage> {
  readonly #host: FamilyHost;
  readonly #family: Pick<Family<TIdentity>, 'id' | 'key' | 'durable'>;
  readonly #place: Place<TIdentity>;
  readonly #spec: (identity: TIdentity, record: StoredRecord | undefined) => ChildSpec;

  constructor({ host, family, place, spec }: FamilyBinding<TIdentity>) {
    this.#host = host;
    this.#family = family;
    this.#place = place;
    this.#spec = spec;
  }

  id(identity: TIdentity): ActorId {
    return idOf(this.#family, identity);
  }

  has(identity: TIdentity): boolean {
    return this.#host.registry.has(this.id(identity));
  }

  /** The actor's id, after it was started if there was none. `record` is its durable state. */
  ensure(identity: TIdentity, record?: StoredRecord): ActorId {
    const id = this.id(identity);
    if (!this.#host.registry.has(id)) this.start(identity, record);
    return id;
  }

  /**
   * One whose supervisor is just being stopped is not started, nor one whose shard another backend hosts: the message that was to
   * follow is refused as a dead letter, and its sender tries again.
   */
  start(identity: TIdentity, record?: StoredRecord): void {
    if (this.#host.shards !== undefined && !this.#mayRun(identity, this.#host.shards)) return;
    this.#supervisor(identity)?.startChild(this.#spec(identity, record));
  }

  /** A dead letter when there is no such actor. */
  tell(identity: TIdentity, message: TMessage, receipt?: Receipt): void {
    this.#host.registry.tell(this.id(identity), message, receipt);
  }

  /** What the actor knows; undefined when there is none, or it has no life at the moment. */
  context(identity: TIdentity): TContext | undefined {
    const snapshot = this.#host.registry.peek(this.id(identity));
    return snapshot === undefined ? undefined : contextOf<TContext>(snapshot);
  }

  /** The value of its statechart. */
  state(identity: TIdentity): unknown {
    const snapshot = this.#host.registry.peek(this.id(identity));
    return snapshot === undefined ? undefined : stateValueOf(snapshot);
  }

  async stop(identity: TIdentity): Promise<void> {
    await this.#supervisor(identity)?.stopChild(this.id(identity));
  }

  async restart(identity: TIdentity): Promise<void> {
    await this.#supervisor(identity)?.restartChild(this.id(identity));
  }

  #mayRun(identity: TIdentity, shards: Pick<HostedShards, 'writes'>): boolean {
    const { durable } = this.#family;
    return durable === undefined || shards.writes(durable.kind, this.#family.key(identity));
  }

  #supervisor(identity: TIdentity): Supervisor | undefined {
    return supervisorFor(this.#place, identity, this.#host.supervisor);
  }
}

interface FamilyBinding<TIdentity> {
  readonly host: FamilyHost;
  readonly family: Pick<Family<TIdentity>, 'id' | 'key' | 'durable'>;
  readonly place: Place<TIdentity>;
  readonly spec: (identity: TIdentity, record: StoredRecord | undefined) => ChildSpec;
}

/** What one actor of a family is started from. */
export const specOf = <TIdentity, TContext, TMessage extends ActorMessage, TEffect extends Effect, TPorts>(
  family: Family<TIdentity, TContext, TMessage, TEffect, TPorts>,
  identity: TIdentity,
  ports: TPorts,
  services: FamilyServices,
  record?: StoredRecord,
): ChildSpec => ({
  id: idOf(family, identity),
  restart: family.supervise.restart,
  behaviour: new FamilyBehaviour(family, identity, ports, services, record) as Behaviour,
});

/** The actors of a family on a runtime, with what they may reach. */
export const actorsOf = <TIdentity, TContext, TMessage extends ActorMessage, TEffect extends Effect, TPorts>(
  family: Family<TIdentity, TContext, TMessage, TEffect, TPorts>,
  ports: TPorts,
  host: FamilyHost,
): FamilyActors<TIdentity, TContext, TMessage> =>
  new FamilyActors({
    host,
    family,
    place: family.supervise.place,
    spec: (identity, record) => specOf(family, identity, ports, host, record),
  });

/** The id of an actor, for those who only know its family. */
export const idOf = <TIdentity>(
  family: Pick<Family<TIdentity>, 'id' | 'key'>,
  identity: TIdentity,
): ActorId => `${family.id}:${family.key(identity)}`;
