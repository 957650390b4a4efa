// What reaches an actor: its mailbox, which outlives its lives, and the refusals of what cannot be kept or handled. Every
// receipt of a letter that does not come out of here as mail is told here.
import { busy, poisonous } from '../busy.ts';
import type { ActorId, ActorMessage, Behaviour, Outcome, Receipt } from '../contract.ts';
import type { Facts, Faults } from '../inspection/facts.ts';
import type { BusyReason } from '../outcome.ts';
import { type Letter, Mailbox } from './mailbox.ts';
import { PoisonWatch } from './poison-watch.ts';
import { tellReceipt } from './settlement.ts';

export interface InboxParts {
  readonly facts: Facts;
  readonly faults: Faults;
}

export class Inbox {
  readonly #id: ActorId;
  readonly #behaviour: Behaviour;
  readonly #parts: InboxParts;
  readonly #mailbox: Mailbox;
  /** Why nothing is taken at the moment. */
  #closed: BusyReason | undefined;
  #poison: PoisonWatch | undefined;

  constructor(id: ActorId, behaviour: Behaviour, parts: InboxParts) {
    this.#id = id;
    this.#behaviour = behaviour;
    this.#parts = parts;
    this.#mailbox = new Mailbox(behaviour.mailbox);
  }

  /** Letters that wait. */
  get size(): number {
    return this.#mailbox.size;
  }

  /** Takes the message, or refuses it with a reason; the receipt is called either way, sooner or later. */
  post(message: ActorMessage, receipt: Receipt | undefined): void {
    if (this.#closed !== undefined) {
      this.#refuse(receipt, busy(this.#closed, this.#id));
      return;
    }
    const result = this.#mailbox.post(message, receipt);
    if (result === 'accepted') return;
    this.#parts.facts.tell(this.#id, { type: 'mailboxFull', rule: this.#behaviour.mailbox.overflow });
    this.#refuse(result === 'full' ? receipt : result.dropped.receipt, busy('mailboxFull', this.#id));
  }

  /** Past the capacity, and never refused. */
  force(message: ActorMessage): void {
    this.#mailbox.force(message);
  }

  /** In front of all others. */
  putFirst(message: ActorMessage): void {
    this.#mailbox.putFirst(message);
  }

  take(): Letter | undefined {
    return this.#mailbox.take();
  }

  /** Takes back a message that still waits; its receipt is not told. */
  withdraw(receipt: Receipt): boolean {
    return this.#mailbox.withdraw(receipt);
  }

  /** Refuses queued and new messages until reopened. */
  close(why: BusyReason): void {
    this.#closed = why;
    for (const letter of this.#mailbox.takeAll()) this.#refuse(letter.receipt, busy(why, this.#id));
  }

  open(): void {
    this.#closed = undefined;
  }

  /** True when it was refused, because the actor crashed on it more than once. */
  refuseParked({ message, receipt }: Letter): boolean {
    if (this.#poison?.isParked(message) !== true) return false;
    this.#refuse(receipt, poisonous(this.#id));
    return true;
  }

  /** What the sender is told of a crash on its message: a fault the first time; poison the next, when it is parked. */
  crashedOn(message: ActorMessage, error: Error): Outcome {
    this.#poison ??= new PoisonWatch(this.#behaviour);
    if (!this.#poison.crashedOn(message)) return { type: 'fault', error };
    this.#parts.facts.tell(this.#id, { type: 'poisonParked', message: message.type, error });
    return poisonous(this.#id);
  }

  /** A message was handled: it is no suspect any more. */
  handled(message: ActorMessage): void {
    this.#poison?.handled(message);
  }

  #refuse(receipt: Receipt | undefined, outcome: Outcome): void {
    tellReceipt(receipt, outcome, (error) =>
      this.#parts.faults.report(`a receipt of a message to ${this.#id}`, error),
    );
  }
}
