// A family: actors of one kind. `defineFamily` makes one row of the table in table.ts; the supervision tree, the restore at
// boot, the limits and the docs are derived from the rows. A row says what is particular to its family. What all families
// have in common (records, deadlines, restore, resume, forget, quarantine) is done once, in family-behaviour.ts.
import type { AnyStateMachine, Snapshot } from 'xstate';
import type { RecordKind, StoredRecord } from '../../../store/snapshot-store.ts';
import type { Companion } from '../../durable/commit-slot.ts';
import type { ActorMessage, LiveActor, MailboxPolicy, Receipt, RestartType } from '../../runtime/contract.ts';
import type { Place } from './place.ts';

/** Effects that are performed alike in every family; a row performs the others. */
export type CommonEffect =
  /** Write the record of this actor. Only for durable families. */
  | { readonly type: 'persist' }
  | {
      readonly type: 'deadline.set';
      readonly name: string;
      readonly atMs: number;
      readonly anchor?: 'wall' | 'elapsed';
    }
  | { readonly type: 'deadline.clear'; readonly name: string }
  /** Delete the record of this actor. Only for durable families. */
  | { readonly type: 'forget' };

export interface Effect {
  readonly type: string;
}

/** The effects a row performs itself. */
export type OwnEffect<TEffect extends Effect> = Exclude<TEffect, { readonly type: CommonEffect['type'] }>;

/** One actor of a family, as its row sees it: who it is, and what it may reach. */
export interface Member<TIdentity, TPorts> {
  readonly identity: TIdentity;
  /** Of its record, and the part of its id behind the colon. */
  readonly key: string;
  readonly ports: TPorts;
  /** Wall time, milliseconds. */
  nowMs(): number;
  /**
   * Writes the snapshot of now. `settle` is told what became of the write. When the store can never take it, the actor also
   * begins again from what is stored.
   */
  persist(actor: LiveActor, settle: Receipt): void;
}

/** What a wait is for, which decides what happens when a clock is set or this process stands still; see docs/actors.md. */
export type WaitsFor =
  /** So much time to pass. */
  | 'time'
  /** Somebody to be silent for so long: a pause of this process is added. */
  | 'silence'
  /** A time on the wall clock. */
  | 'wall'
  /** As the effect says in `anchor`. */
  | 'asked';

interface DeadlineRule<TContext, TMessage, TMember> {
  readonly waitsFor: WaitsFor;
  /** The planned wall time in the context, for the record; null when nothing is planned. */
  storedAt?(context: TContext): number | null;
  /** Default: `{type: 'deadline.reached', name, nowMs}`. Made when its turn in the mailbox comes. */
  message?(nowMs: number, context: TContext, member: TMember): TMessage;
}

/** How a family keeps its state. */
export interface Durable<TIdentity> {
  readonly kind: RecordKind;
  /** What its keys begin with, such as `lamp/`, where other records share the kind. */
  readonly prefix?: string;
  /** Grows when the stored shape of `{value, context}` changes; the machine's file holds the migrations. */
  readonly version: number;
  /** A stored state as a live snapshot. Throws a RestoreError: the record is put aside then, and the actor begins anew. */
  restore(state: unknown, version: number): Snapshot<unknown>;
  /** Throws when no key of this family looks like that. */
  identityOf(key: string): TIdentity;
}

export interface Family<
  TIdentity = unknown,
  TContext = unknown,
  TMessage extends ActorMessage = ActorMessage,
  TEffect extends Effect = Effect,
  TPorts = unknown,
> {
  /** Begins the ids of its actors: `check:default/web-01/cpu`. */
  readonly id: string;
  /** What one actor of it stands for, in a few words. */
  readonly title: string;
  readonly machine: AnyStateMachine;
  readonly mailbox: MailboxPolicy;
  readonly supervise: { readonly restart: RestartType; readonly place: Place<TIdentity> };
  /** Absent: what its actors know follows from elsewhere, and they begin anew after a restart. */
  readonly durable?: Durable<TIdentity>;
  /** Its actors perform nothing but the common effects, so the backend binds it by itself. */
  readonly ports?: 'none';
  /** Every deadline its machine sets, by name. */
  readonly deadlines: Readonly<Record<string, DeadlineRule<TContext, TMessage, Member<TIdentity, TPorts>>>>;
  key(identity: TIdentity): string;
  input(identity: TIdentity, ports: TPorts): unknown;
  /** The first message of a life. `resumed` is the context it came back with; undefined when it begins anew. */
  first?(member: Member<TIdentity, TPorts>, resumed: TContext | undefined): TMessage | undefined;
  /** One effect of its own, in order, after the transition. A throw is a crash of the actor. */
  perform(effect: OwnEffect<TEffect>, actor: LiveActor, member: Member<TIdentity, TPorts>): void;
  /** Its record is about to be written, with this context. Returns what is to be written along with it. */
  persisting?(
    effect: TEffect,
    member: Member<TIdentity, TPorts>,
    context: TContext,
  ): readonly Companion[] | undefined;
  /** The store can never take what was just to be written. */
  refused?(member: Member<TIdentity, TPorts>): void;
  /** Its record is about to be deleted, in the same batch as what is written here. */
  forgetting?(member: Member<TIdentity, TPorts>, context: TContext): void;
  /** At boot its actor was started from a record, which may have been put aside since. */
  restored?(identity: TIdentity, record: StoredRecord, ports: TPorts): void;
  /** What makes two messages the same when looking for poison; see Behaviour. */
  messageKey?(message: ActorMessage): string | undefined;
}

const names = /^[a-z][a-zA-Z]*$/;

/** Checks the row; a wrong one is a mistake in our code and thrown at its author. */
export const defineFamily = <
  TIdentity,
  TContext,
  TMessage extends ActorMessage,
  TEffect extends Effect,
  TPorts,
>(
  family: Family<TIdentity, TContext, TMessage, TEffect, TPorts>,
): Family<TIdentity, TContext, TMessage, TEffect, TPorts> => {
  const refuse = (text: string): never => {
    throw new TypeError(`family ${JSON.stringify(family.id)}: ${text}`);
  };
  if (!names.test(family.id)) refuse('id must be one word in camel case');
  if (!(family.mailbox.capacity >= 1)) refuse('mailbox.capacity must be at least 1');
  const stored = Object.values(family.deadlines).some(({ storedAt }) => storedAt !== undefined);
  if (stored && family.durable === undefined) refuse('deadlines are stored, but the family keeps no record');
  return Object.freeze(family);
};
