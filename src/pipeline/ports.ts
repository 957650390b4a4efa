// The interfaces that the pipelines require. The composition root provides the resource lookup, the secret
// resolver, and the gate with the worker slots and the circuit breaker of each handler.
import type { EventFilter } from '../model/pipeline/event-filter.ts';
import type { Handler } from '../model/pipeline/handler.ts';
import type { Mutator } from '../model/pipeline/mutator.ts';
import type { Pipeline } from '../model/pipeline/pipeline.ts';
import type { CommandRunner } from './commands/protocol.ts';
import type { ExpressionRunner, MutatorRunner } from './sandbox/protocol.ts';
import type { Span } from './span.ts';
import type { HandlerOutcome } from './trace.ts';

/** An environment variable and the Secret resource that provides its value. */
export interface SecretReference {
  readonly name: string;
  readonly secret: string;
}

/** Definitions by namespace and name, from memory; undefined if not found. */
export interface ResourceLookup {
  handler(namespace: string, name: string): Handler | undefined;
  filter(namespace: string, name: string): EventFilter | undefined;
  mutator(namespace: string, name: string): Mutator | undefined;
  pipeline(namespace: string, name: string): Pipeline | undefined;
}

/**
 * Resolves references to `NAME=value` strings, in order and without empty ones. Rejects with a MonError: with
 * `retry` if the provider is unavailable, without if the reference is wrong.
 */
export type ResolveSecrets = (
  namespace: string,
  references: readonly SecretReference[],
) => Promise<readonly string[]>;

export type GateAnswer =
  /** Call `leave` exactly once with the outcome and the reason, which update the circuit breaker. */
  | { readonly entered: true; readonly leave: (outcome: HandlerOutcome, why: string) => void }
  | { readonly entered: false; readonly why: string };

/** May wait for a worker slot; rejects immediately while the handler's circuit is open. */
export interface HandlerGate {
  enter(namespace: string, handler: string): Promise<GateAnswer>;
}

/** What the runtime assets of a definition provide. */
interface AssetBundle {
  /** Additions to a command's environment (PATH and similar variables are already joined with ours). */
  readonly env: Readonly<Record<string, string>>;
  /** Reads the `.js` files under `lib/`, for filters and JavaScript mutators. Rejects if they exceed the size limit. */
  scripts(): Promise<readonly string[]>;
}

/** Rejects with the reason if an asset is not defined or not available. */
export type LoadAssets = (namespace: string, names: readonly string[]) => Promise<AssetBundle>;

export interface PipelineDeps {
  readonly lookup: ResourceLookup;
  readonly filters: ExpressionRunner;
  readonly mutators: MutatorRunner;
  readonly resolveSecrets: ResolveSecrets;
  readonly gate: HandlerGate;
  /**
   * Runs commands. If absent, commands start from this process, and every fork blocks its event loop (see
   * CommandHelper).
   */
  readonly commands?: CommandRunner;
  readonly loadAssets: LoadAssets;
  /** The base environment of commands. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Wall clock in Unix milliseconds, for time windows and `seconds_since`. */
  readonly nowMs: () => number;
  /** The run of the pipelines, for distributed tracing. */
  readonly span?: Span;
  /** Aborted when the backend stops: running commands are killed with their process group. */
  readonly signal?: AbortSignal;
}

/** Used where assets are not supported; rejects with an explanation. */
export const noAssets: LoadAssets = async (_, names) => {
  throw new Error(`runtime asset "${names[0]}": this backend does not support assets`);
};
