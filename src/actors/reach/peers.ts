// The other backends of a cluster, as this one reaches them. Without a cluster there are none, and everything lives here.

interface Question {
  readonly method: string;
  readonly params: unknown;
}

/** Backends trust each other: who may do what was decided where the call arrived. */
export interface Peers {
  /** This backend. */
  readonly name: string;
  /** The backends that serve, this one included. */
  backends(): readonly string[];
  /** Whether everything about this name lives on this backend: an entity, a check definition, a bulk job. */
  isHere(namespace: string, name: string): boolean;
  /** The backend where it lives, as far as is known here; undefined while nobody owns it. */
  homeOf(namespace: string, name: string): string | undefined;
  /** What is known of the home is out of date. */
  lookUpAgain(namespace: string, name: string): void;
  /**
   * What another backend answers, as JSON. Asked once: a question without an answer may have been handled. Rejects with a
   * BusError when no answer came, and with the MonError that the other backend answered with.
   */
  ask(backend: string, question: Question, withinMs: number): Promise<unknown>;
}
