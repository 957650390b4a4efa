// The words between the sandbox (in the main thread) and its worker, and the two ports the rest of the room uses.

export type FailureKind = 'slow' | 'memory' | 'recursion' | 'threw' | 'syntax' | 'hung' | 'resting';

/** What came of one expression. A failure is data: a user's mistake never throws through this room. */
export type ExpressionOutcome =
  | { readonly type: 'value'; readonly truthy: boolean }
  | { readonly type: 'failed'; readonly kind: FailureKind; readonly message: string };

export interface FilterProgram {
  readonly name: string;
  readonly action: 'allow' | 'deny';
  readonly expressions: readonly string[];
  /** Sources evaluated before each expression (runtime assets). */
  readonly scripts: readonly string[];
}

export interface FilterRun {
  /** One per expression up to and including the one that decided. */
  readonly outcomes: readonly ExpressionOutcome[];
  readonly durationMs: number;
}

/** Evaluates custom filters on one event, given as the JSON handlers get. */
export interface ExpressionRunner {
  readonly limits: { readonly timeMs: number; readonly memoryBytes: number };
  /** One run per filter, in order. Rejects only with an outage (MonError `unavailable`). */
  evaluate(
    eventJson: string,
    nowMs: number,
    filters: readonly FilterProgram[],
  ): Promise<readonly FilterRun[]>;
  /** Null, or what is wrong with the syntax and where. */
  validateExpression(text: string): Promise<string | null>;
}

export interface MutatorProgram {
  /** The body of a function; `return` allowed. */
  readonly body: string;
  /** Strings visible as globals. */
  readonly globals: Readonly<Record<string, string>>;
  readonly scripts: readonly string[];
  readonly timeMs: number;
}

export type MutationOutcome =
  | { readonly type: 'text'; readonly text: string }
  /** Neither a string nor undefined: the class of what was returned. */
  | { readonly type: 'badResult'; readonly class: string }
  | { readonly type: 'failed'; readonly kind: FailureKind; readonly message: string };

export interface MutatorRunner {
  /** Rejects only with an outage. */
  mutate(eventJson: string, program: MutatorProgram): Promise<MutationOutcome>;
}

/** An expression the worker must not run, and what to report in its place. Indexes into filters and expressions. */
export interface Barred {
  readonly filter: number;
  readonly expression: number;
  readonly outcome: ExpressionOutcome & { readonly type: 'failed' };
}

export type SandboxJob =
  | {
      readonly type: 'filters';
      readonly eventJson: string;
      readonly nowMs: number;
      readonly filters: readonly FilterProgram[];
      readonly barred: readonly Barred[];
    }
  | { readonly type: 'mutate'; readonly eventJson: string; readonly program: MutatorProgram }
  | { readonly type: 'validate'; readonly text: string };

export type SandboxAnswer =
  | { readonly type: 'filters'; readonly runs: readonly FilterRun[] }
  | { readonly type: 'mutate'; readonly outcome: MutationOutcome }
  | { readonly type: 'validate'; readonly problem: string | null };

export interface SandboxTask {
  readonly id: number;
  readonly job: SandboxJob;
}

export type WorkerReport =
  | { readonly type: 'ready' }
  | { readonly type: 'answer'; readonly id: number; readonly answer: SandboxAnswer }
  /** The interpreter itself broke: this worker is of no more use. */
  | { readonly type: 'broken'; readonly message: string };

export interface WorkerSetup {
  readonly timeMs: number;
  readonly memoryBytes: number;
  /** Shared with the main thread: where the worker is, see `progress`. */
  readonly progress: Int32Array;
}

/**
 * Cells the worker writes before each program, so that the main thread can tell a long queue from a hang.
 * `steps` grows with every program begun; `task` is 0 while nothing runs; `limitMs` is the longest that what runs may take.
 */
export const progress = { task: 0, steps: 1, filter: 2, expression: 3, limitMs: 4, length: 5 } as const;
