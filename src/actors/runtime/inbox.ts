// What reaches an actor: its mailbox, which outlives its lives, and the refusals of what cannot be kept or handled. Every
// receipt of a letter that does not come out of here as mail is told here.
import type { ActorId, ActorMessage, Behaviour, Receipt, Refusal } from './contract.ts';
import type { Facts, Faults } from './facts.ts';
import { type Letter, Mailbox } from './mailbox.ts';
import { PoisonWatch } from './poison-watch.ts';
import { refused } from './refusal.ts';
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
  #closed: Refusal | undefined;
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

  /** Takes the message, or refuses it with a reason; the receipt is told either way, sooner or later. */
  post(message: ActorMessage, receipt: Receipt | undefined): void {
    if (this.#closed !== undefined) {
      this.#refuse(receipt, this.#closed);
      return;
    }
    const result = this.#mailbox.post(message, receipt);
    if (result === 'accepted') return;
    this.#parts.facts.tell(this.#id, { type: 'mailboxFull', rule: this.#behaviour.mailbox.overflow });
    this.#refuse(result === 'full' ? receipt : result.dropped.receipt, 'busy');
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

  /** Whoever waits is refused, and whoever comes, until it is opened again. */
  close(why: Refusal): void {
    this.#closed = why;
    for (const letter of this.#mailbox.takeAll()) this.#refuse(letter.receipt, why);
  }

  open(): void {
    this.#closed = undefined;
  }

  /** True when it was refused, because the actor crashed on it twice in a row. */
  refuseParked({ message, receipt }: Letter): boolean {
    if (this.#poison?.isParked(message) !== true) return false;
    this.#refuse(receipt, 'deadLetter', 'is parked as poison');
    return true;
  }

  /** True when this is the second crash in a row on the same message: it is parked from now on. */
  crashedOn(message: ActorMessage, error: Error): boolean {
    this.#poison ??= new PoisonWatch(this.#behaviour);
    const parked = this.#poison.crashedOn(message);
    if (parked) this.#parts.facts.tell(this.#id, { type: 'poisonParked', message: message.type, error });
    return parked;
  }

  #refuse(receipt: Receipt | undefined, why: Refusal, detail?: string): void {
    tellReceipt(receipt, refused(why, this.#id, detail), (error) =>
      this.#parts.faults.report(`a receipt of a message to ${this.#id}`, error),
    );
  }
}
