// What became of a message that travelled, as it travels back. The tags are those of the actor runtime's outcomes.

export const outcomeTypes = ['done', 'busy', 'invalid', 'poison', 'outage', 'fault'] as const;

export interface ForwardOutcome {
  readonly type: (typeof outcomeTypes)[number];
  /** The reason of `busy`, or the kind of the error in the error catalogue; else empty. */
  readonly detail: string;
  readonly message: string;
}

/** Called exactly once. */
export type ForwardReceipt = (outcome: ForwardOutcome) => void;

export const doneOutcome: ForwardOutcome = { type: 'done', detail: '', message: '' };
