// A bounded mailbox: messages with their receipts, first in, first out, and a written rule for the one too many.
import type { ActorMessage, MailboxPolicy, Outcome, Receipt } from '../contract.ts';
import { maxJoinedReceipts } from '../limits.ts';

export interface Letter {
  readonly message: ActorMessage;
  readonly receipt: Receipt | undefined;
}

/** `dropped`: accepted, and an older letter had to go for it. `full`: the letter is the sender's again. */
export type PostResult = 'accepted' | 'full' | { readonly dropped: Letter };

const byType = (message: ActorMessage): string => message.type;

/** The receipts that stand behind a joined one. A list, not a chain: thousands may wait for the same message. */
const behind = new WeakMap<Receipt, Receipt[]>();

const tellAll = (receipts: readonly Receipt[], outcome: Outcome): void => {
  const errors: unknown[] = [];
  for (const receipt of receipts) {
    try {
      receipt(outcome);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
};

/** All senders are told the same outcome: the newer message stands for the older ones. */
const joined = (older: Receipt | undefined, newer: Receipt | undefined): Receipt | undefined => {
  if (older === undefined || newer === undefined) return older ?? newer;
  const known = behind.get(older);
  if (known !== undefined) {
    known.push(newer);
    return older;
  }
  const receipts = [older, newer];
  const whole: Receipt = (outcome) => tellAll(receipts, outcome);
  behind.set(whole, receipts);
  return whole;
};

const mayJoin = (older: Receipt | undefined): boolean =>
  older === undefined || (behind.get(older)?.length ?? 1) < maxJoinedReceipts;

export class Mailbox {
  readonly #policy: MailboxPolicy;
  #letters: Letter[] = [];
  #head = 0;

  constructor(policy: MailboxPolicy) {
    this.#policy = policy;
  }

  get size(): number {
    return this.#letters.length - this.#head;
  }

  post(message: ActorMessage, receipt: Receipt | undefined): PostResult {
    if (this.size >= this.#policy.capacity) return this.#overflow(message, receipt);
    this.#letters.push({ message, receipt });
    return 'accepted';
  }

  /** Past the capacity: for what must not get lost and is bounded by other means (a deadline that has come). */
  force(message: ActorMessage): void {
    this.#letters.push({ message, receipt: undefined });
  }

  /** In front of all others: the first message of a life. */
  putFirst(message: ActorMessage): void {
    this.#letters = [{ message, receipt: undefined }, ...this.#letters.slice(this.#head)];
    this.#head = 0;
  }

  take(): Letter | undefined {
    const letter = this.#letters[this.#head];
    if (letter === undefined) return undefined;
    this.#head += 1;
    if (this.#head === this.#letters.length) {
      this.#letters.length = 0;
      this.#head = 0;
    } else if (this.#head > 256 && this.#head * 2 > this.#letters.length) {
      this.#letters = this.#letters.slice(this.#head);
      this.#head = 0;
    }
    return letter;
  }

  /** Takes back the letter with this receipt; false when it no longer waits. */
  withdraw(receipt: Receipt): boolean {
    const place = this.#letters.findIndex(
      (letter, index) => index >= this.#head && letter.receipt === receipt,
    );
    if (place < 0) return false;
    this.#letters.splice(place, 1);
    return true;
  }

  takeAll(): readonly Letter[] {
    const all = this.#letters.slice(this.#head);
    this.#letters = [];
    this.#head = 0;
    return all;
  }

  #overflow(message: ActorMessage, receipt: Receipt | undefined): PostResult {
    switch (this.#policy.overflow) {
      case 'refuse':
        return 'full';
      case 'coalesce':
        return this.#coalesce(message, receipt);
      case 'dropOldest': {
        const dropped = this.take();
        if (dropped === undefined) return 'full';
        this.#letters.push({ message, receipt });
        return { dropped };
      }
    }
  }

  /** The newer message takes the place of the waiting one with the same key. */
  #coalesce(message: ActorMessage, receipt: Receipt | undefined): PostResult {
    const keyOf = this.#policy.coalesceKey ?? byType;
    const key = keyOf(message);
    for (let place = this.#head; place < this.#letters.length; place += 1) {
      const older = this.#letters[place] as Letter;
      if (keyOf(older.message) !== key) continue;
      if (receipt !== undefined && !mayJoin(older.receipt)) return 'full';
      this.#letters[place] = { message, receipt: joined(older.receipt, receipt) };
      return 'accepted';
    }
    return 'full';
  }
}
