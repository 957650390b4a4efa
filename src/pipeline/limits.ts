// Limits of the pipelines. Units are in the names.
import { maxExpressionCharacters } from '../model/limits.ts';

/** Maximum nesting of handler sets. The third level may contain handlers; a fourth is ignored. */
export const maxSetLevels = 3;
/** Maximum number of workflows and handlers per event, however many lists and pipelines name. */
export const maxWorkflowsPerEvent = 1_000;
/** Maximum number of unresolved names per event in its trace and in the log. */
export const maxSkippedSteps = 100;
/** Default timeout of tcp and udp handlers, for connect and write. */
export const defaultSocketTimeoutSeconds = 60;
/** Maximum size of each script from the runtime assets of a filter or mutator. */
export const maxAssetScriptBytes = 1_048_576;
/** Maximum handler output kept in a trace. */
export const maxHandlerOutputBytes = 4_096;
/**
 * Handler output read before secrets are removed and it is truncated. Larger than the kept size, so that truncation
 * cannot split a secret.
 */
export const maxHandlerReadBytes = 65_536;
/** Maximum output of a pipe mutator. */
export const maxMutatorOutputBytes = 4_194_304;
/** Maximum payload of a UDP datagram. */
export const maxDatagramBytes = 65_507;
/** Grace period for running commands after their backend was killed. */
export const orphanGraceMs = 5_000;
/** How long a tcp connection waits for the peer to close after the write. */
export const socketLingerMs = 1_000;
/** Maximum length of reasons and error texts in a trace. */
export const maxReasonChars = 512;
/** Shorter secrets are not removed from output, since they would match ordinary words. */
export const minScrubbedSecretChars = 4;
export const minScrubbedVariableChars = 8;

export interface SandboxLimits {
  /** Time limit of one expression. */
  readonly timeMs: number;
  /** Memory of one QuickJS runtime, including the event. */
  readonly memoryBytes: number;
}

export const filterLimits: SandboxLimits = { timeMs: 50, memoryBytes: 16 * 1_048_576 };
/** For JavaScript mutators without a timeout. They have their own worker, so they may take longer. */
export const mutatorLimits: SandboxLimits = { timeMs: 1_000, memoryBytes: 64 * 1_048_576 };

/** Stack size of the interpreter. Measured: at 256 KiB, deeply nested source overflows the thread's stack first. */
export const interpreterStackBytes = 128 * 1_024;
export const workerStackMb = 8;
/** Wall-clock limit of a program that gets little CPU time, as a multiple of its time limit. */
export const maxStretch = 4;
/** Maximum age of the CPU time sample that a program starts from. */
export const maxSampleAgeMs = 10;
/** An expression that exceeds its time limit by this much is stuck in native code; its thread is terminated. */
export const hangGraceMs = 450;
/** Time limit for loading a new interpreter; after that its thread is considered dead. */
export const newEngineMs = 10_000;
/** After this many consecutive stops an expression is suspended, so that one bad filter cannot delay all others. */
export const maxStrikes = 3;
export const benchMs = 30_000;
/** Consecutive thread losses without a result before queued evaluations are rejected. */
export const maxLosses = 5;
/** Maximum number of queued evaluations; more are rejected. */
export const maxQueuedEvaluations = 10_000;
/** Tasks sent to the worker ahead of time, so that it does not idle between tasks. */
export const maxTasksInFlight = 16;
/** Maximum number of compiled expressions per runtime. */
export const maxCompiledExpressions = 2_000;
/** Maximum mutator length. Expressions above the same length are rejected before they are stored. */
export const maxProgramChars = maxExpressionCharacters;
