// What makes one actor of a family live. Here, once for all families: where a life begins, its record, its deadlines, what it
// is told when it comes back, and what happens when its record can't be restored or written.
import type { AnyStateMachine, Snapshot } from 'xstate';
import type { StoredDeadline, StoredRecord } from '../../../store/snapshot-store.ts';
import type { Companion } from '../../durable/commit-slot.ts';
import type { GroupCommit } from '../../durable/group-commit.ts';
import { originFrom, type SetAside } from '../../durable/origin.ts';
import { recordBody } from '../../durable/records.ts';
import type {
  ActorMessage,
  Behaviour,
  LiveActor,
  MailboxPolicy,
  Origin,
  Receipt,
} from '../../runtime/contract.ts';
import { contextOf } from '../../runtime/inspection/snapshot.ts';
import type { CommonEffect, Durable, Effect, Family, Member, OwnEffect, WaitsFor } from './family.ts';

/** What every family leans on. */
export interface FamilyServices {
  readonly commit: Pick<GroupCommit, 'put' | 'delete' | 'latest'>;
  readonly setAside: SetAside;
  readonly nowMs: () => number;
}

type DeadlineOptions = Parameters<LiveActor['setDeadline']>[2];

const waits: Readonly<Record<Exclude<WaitsFor, 'asked'>, DeadlineOptions>> = {
  time: undefined,
  silence: { forgiving: true },
  wall: { anchor: 'wall' },
};

export class FamilyBehaviour<
  TIdentity,
  TContext,
  TMessage extends ActorMessage,
  TEffect extends Effect,
  TPorts,
> implements Behaviour<TEffect>, Member<TIdentity, TPorts>
{
  readonly identity: TIdentity;
  readonly key: string;
  readonly ports: TPorts;
  readonly #family: Family<TIdentity, TContext, TMessage, TEffect, TPorts>;
  readonly #services: FamilyServices;
  /** What the first life begins from. Later lives begin from what is stored then. */
  #record: StoredRecord | undefined;
  #lives = 0;

  /** `record` is the durable state of an earlier process; without one the first life begins anew. */
  constructor(
    family: Family<TIdentity, TContext, TMessage, TEffect, TPorts>,
    identity: TIdentity,
    ports: TPorts,
    services: FamilyServices,
    record?: StoredRecord,
  ) {
    this.identity = identity;
    this.key = family.key(identity);
    this.ports = ports;
    this.#family = family;
    this.#services = services;
    this.#record = record;
  }

  get machine(): AnyStateMachine {
    return this.#family.machine;
  }

  get mailbox(): MailboxPolicy {
    return this.#family.mailbox;
  }

  nowMs(): number {
    return this.#services.nowMs();
  }

  begin(): Origin | Promise<Origin> {
    const { durable } = this.#family;
    const record = this.#record;
    this.#record = undefined;
    this.#lives += 1;
    if (durable === undefined || this.#lives === 1) return this.#origin(record);
    return this.#services.commit.latest(durable.kind, this.key).then((latest) => this.#origin(latest));
  }

  firstMessage(origin: Origin): ActorMessage | undefined {
    return this.#family.first?.(
      this,
      'snapshot' in origin ? contextOf<TContext>(origin.snapshot) : undefined,
    );
  }

  /** A deadline the family does not name becomes no message. */
  onDeadline(name: string, nowMs: number, actor: LiveActor): ActorMessage | undefined {
    const rule = this.#family.deadlines[name];
    if (rule === undefined) return undefined;
    if (rule.message !== undefined) return rule.message(nowMs, contextOf<TContext>(actor.snapshot()), this);
    return { type: 'deadline.reached', name, nowMs } as ActorMessage;
  }

  messageKey(message: ActorMessage): string | undefined {
    return this.#family.messageKey?.(message);
  }

  perform(effect: TEffect | CommonEffect, actor: LiveActor): void {
    switch (effect.type) {
      case 'persist': {
        const context = contextOf<TContext>(actor.snapshot());
        const companions = this.#family.persisting?.(effect as TEffect, this, context);
        return this.#put(actor, this.#withRefusal(actor.holdReceipt()), companions);
      }
      case 'deadline.set': {
        const { name, atMs, anchor = 'elapsed' } = effect as Extract<CommonEffect, { type: 'deadline.set' }>;
        const waitsFor = this.#family.deadlines[name]?.waitsFor ?? 'time';
        return actor.setDeadline(name, atMs, waitsFor === 'asked' ? { anchor } : waits[waitsFor]);
      }
      case 'deadline.clear':
        return actor.clearDeadline((effect as Extract<CommonEffect, { type: 'deadline.clear' }>).name);
      case 'forget':
        this.#family.forgetting?.(this, contextOf<TContext>(actor.snapshot()));
        return this.#services.commit.delete(this.#durable().kind, this.key, actor.holdReceipt());
      default:
        this.#family.perform(effect as OwnEffect<TEffect>, actor, this);
    }
  }

  persist(actor: LiveActor, settle: Receipt): void {
    this.#put(actor, settle, undefined);
  }

  #put(actor: LiveActor, settle: Receipt, companions: readonly Companion[] | undefined): void {
    const { kind, version } = this.#durable();
    const snapshot = actor.snapshot();
    this.#services.commit.put(
      kind,
      this.key,
      () => recordBody(this.#family.id, version, snapshot, this.#deadlinesOf(snapshot)),
      (outcome) => {
        settle(outcome);
        // What can never be stored (too large, say) must not be carried into every later record.
        if (outcome.type === 'invalid') actor.beginAgain(outcome.error);
      },
      companions,
    );
  }

  #withRefusal(settle: Receipt): Receipt {
    const { refused } = this.#family;
    if (refused === undefined) return settle;
    return (outcome) => {
      if (outcome.type === 'invalid') refused(this);
      settle(outcome);
    };
  }

  #origin(record: StoredRecord | undefined): Origin {
    const { durable } = this.#family;
    const input = this.#family.input(this.identity, this.ports);
    if (durable === undefined || record === undefined) return { input };
    const { kind } = durable;
    const restore = (state: unknown, version: number) => durable.restore(state, version);
    return originFrom(record, { kind, key: this.key, restore, input, setAside: this.#services.setAside });
  }

  #deadlinesOf(snapshot: Snapshot<unknown>): readonly StoredDeadline[] {
    const { deadlines } = this.#family;
    const context = contextOf<TContext>(snapshot);
    const found: StoredDeadline[] = [];
    for (const name in deadlines) {
      const atMs = deadlines[name]?.storedAt?.(context) ?? null;
      if (atMs !== null) found.push({ name, atMs });
    }
    return found;
  }

  #durable(): Durable<TIdentity> {
    const { durable, id } = this.#family;
    if (durable === undefined) throw new TypeError(`family ${id} keeps no records`);
    return durable;
  }
}
