// What became of a message: every refusal and failure carries one of these tags. What each edge makes of it is a table of its
// own, ../outcomes/outcome-rules.ts.

/** An error that says what kind of refusal or outage it is. The error catalogue of the platform is made of these. */
interface KnownError extends Error {
  readonly kind: string;
  /** Whether the same request may succeed later. */
  readonly retry: boolean;
}

/** Why an actor did not handle a message it may handle later. */
export type BusyReason =
  /** No actor has this id. */
  | 'noActor'
  /** Its mailbox is full, and its rule is to refuse. */
  | 'mailboxFull'
  /** It crashed, and its restart is too far away to wait for. */
  | 'restarting'
  /** It was stopped while the message waited. */
  | 'stopped';

/** What became of a message, told once. */
export type Outcome =
  /** Handled, and every write it caused is committed. */
  | { readonly type: 'done' }
  /** Not handled, or its actor was lost before it could answer. */
  | { readonly type: 'busy'; readonly why: BusyReason; readonly message: string }
  /** Can never be accepted as it is. The kind of the error says what is wrong with it. */
  | { readonly type: 'invalid'; readonly error: KnownError }
  /** The actor crashed on it more than once: it is parked and never handled again. */
  | { readonly type: 'poison'; readonly message: string }
  /** The store (or another service) did not take it; whether it took effect is unknown. */
  | { readonly type: 'outage'; readonly error: KnownError }
  /** A bug of ours: the actor crashed on it, or has no handler for it. */
  | { readonly type: 'fault'; readonly error: Error };

export type OutcomeType = Outcome['type'];

/** Told what became of a message: the sender's acknowledgement hangs on it. Called exactly once. */
export type Receipt = (outcome: Outcome) => void;
