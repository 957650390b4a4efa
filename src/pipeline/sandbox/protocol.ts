// Messages between the sandbox (in the main thread) and its worker, and the two interfaces used by the pipelines.

export type FailureKind = 'slow' | 'memory' | 'recursion' | 'threw' | 'syntax' | 'hung' | 'resting';

/** The outcome of one expression. Failures are data; user mistakes never throw. */
export type ExpressionOutcome =
  | { readonly type: 'value'; readonly truthy: boolean }
  | { readonly type: 'failed'; readonly kind: FailureKind; readonly message: string };

export interface FilterProgram {
  readonly name: string;
  readonly action: 'allow' | 'deny';
  readonly expressions: readonly string[];
  /** Sources evaluated before each expression (from runtime assets). */
  readonly scripts: readonly string[];
}

export interface FilterRun {
  /** One per expression, up to and including the deciding one. */
  readonly outcomes: readonly ExpressionOutcome[];
  readonly durationMs: number;
}

/** Evaluates custom filters on one event, given as the JSON that handlers receive. */
export interface ExpressionRunner {
  readonly limits: { readonly timeMs: number; readonly memoryBytes: number };
  /** One result per filter, in order. Rejects only on an outage (MonError `unavailable`). */
  evaluate(
    eventJson: string,
    nowMs: number,
    filters: readonly FilterProgram[],
  ): Promise<readonly FilterRun[]>;
  /** Null, or the syntax error and its position. */
  validateExpression(text: string): Promise<string | null>;
}

export interface MutatorProgram {
  /** A function body; may contain `return`. */
  readonly body: string;
  /** Strings available as globals. */
  readonly globals: Readonly<Record<string, string>>;
  readonly scripts: readonly string[];
  readonly timeMs: number;
}

export type MutationOutcome =
  | { readonly type: 'text'; readonly text: string }
  /** The class of a return value that is neither a string nor undefined. */
  | { readonly type: 'badResult'; readonly class: string }
  | { readonly type: 'failed'; readonly kind: FailureKind; readonly message: string };

export interface MutatorRunner {
  /** Rejects only on an outage. */
  mutate(eventJson: string, program: MutatorProgram): Promise<MutationOutcome>;
}

/** An expression that the worker must skip, and the outcome to report. Indexes of filter and expression. */
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
  /** The interpreter broke; this worker cannot be used any more. */
  | { readonly type: 'broken'; readonly message: string };

export interface WorkerSetup {
  readonly timeMs: number;
  readonly memoryBytes: number;
  /** Shared with the main thread; see `progress`. */
  readonly progress: Int32Array;
}

/**
 * Cells that the worker writes before each program, so that the main thread can distinguish a long queue from a
 * hang. `steps` counts started programs, `task` is 0 when idle, `limitMs` is the maximum duration of the current
 * program.
 */
export const progress = { task: 0, steps: 1, filter: 2, expression: 3, limitMs: 4, length: 5 } as const;
