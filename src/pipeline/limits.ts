// Limits of this room, each with its unit in its name. Sources: architecture section 9; backend sheet 6.1-6.5.
import { maxExpressionCharacters } from '../model/limits.ts';

/** Sets inside sets: the third level may still hold handlers, a fourth contributes nothing. */
export const maxSetLevels = 3;
/** Workflows and handlers one event is handed to, whatever lists of names and pipelines multiply to. */
export const maxWorkflowsPerEvent = 1_000;
/** Names that lead nowhere, kept of one event in its trace and in the log. */
export const maxSkippedSteps = 100;
/** Dial and write of a tcp or udp handler that names no timeout. */
export const defaultSocketTimeoutSeconds = 60;
/** All scripts that the runtime assets of one filter or mutator may bring along, each. */
export const maxAssetScriptBytes = 1_048_576;
/** What a trace keeps of a handler's output. */
export const maxHandlerOutputBytes = 4_096;
/** What is read of it before secrets are taken out and it is cut to that: no half of a secret may survive the cut. */
export const maxHandlerReadBytes = 65_536;
/** What a pipe mutator may hand to a handler. */
export const maxMutatorOutputBytes = 4_194_304;
/** The largest payload of one UDP datagram. */
export const maxDatagramBytes = 65_507;
/** How long commands may go on after the backend that started them was killed. */
export const orphanGraceMs = 5_000;
/** How long a written tcp connection may wait for the far end to close before we let go of it. */
export const socketLingerMs = 1_000;
/** Reasons and error texts kept in a trace. */
export const maxReasonChars = 512;
/** Shorter values are not looked for in output: they would blot out ordinary words. */
export const minScrubbedSecretChars = 4;
export const minScrubbedVariableChars = 8;

export interface SandboxLimits {
  /** Longest run of one expression. */
  readonly timeMs: number;
  /** Memory of one QuickJS runtime, the event included. */
  readonly memoryBytes: number;
}

export const filterLimits: SandboxLimits = { timeMs: 50, memoryBytes: 16 * 1_048_576 };
/** For a JavaScript mutator that names no timeout; it has a worker of its own, so it may take longer. */
export const mutatorLimits: SandboxLimits = { timeMs: 1_000, memoryBytes: 64 * 1_048_576 };

/** Stack of the interpreter; measured: at 256 KiB deeply nested source overflows the thread's stack first. */
export const interpreterStackBytes = 128 * 1_024;
export const workerStackMb = 8;
/** A program that got no processor may take this many times its limit on the wall clock. */
export const maxStretch = 4;
/** How old the reading of processor time may be that a program starts from. */
export const maxSampleAgeMs = 10;
/** Past its time limit by this much, an expression sits in native code that asks nobody: its thread is ended. */
export const hangGraceMs = 450;
/** How long a new interpreter may take to load before its thread is taken for dead. */
export const newEngineMs = 10_000;
/** After so many stops in a row an expression rests, so that one bad filter cannot hold up all the others. */
export const maxStrikes = 3;
export const benchMs = 30_000;
/** Threads lost one after the other, without an answer in between, before what waits is refused. */
export const maxLosses = 5;
/** Evaluations waiting for the sandbox before it refuses more. */
export const maxQueuedEvaluations = 10_000;
/** Tasks handed to the worker ahead of need, so that it never idles between two. */
export const maxTasksInFlight = 16;
/** Compiled expressions kept per runtime. */
export const maxCompiledExpressions = 2_000;
/** Longest mutator text; expressions are refused past the same length before they are stored. */
export const maxProgramChars = maxExpressionCharacters;
