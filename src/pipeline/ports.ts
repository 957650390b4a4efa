// What the pipelines ask of the house around them. The composition root plugs in the resource registry, the secret
// providers, and the gate behind which worker slots and the circuit of each handler stand.
import type { EventFilter } from '../model/event-filter.ts';
import type { Handler } from '../model/handler.ts';
import type { Mutator } from '../model/mutator.ts';
import type { Pipeline } from '../model/pipeline.ts';
import type { CommandRunner } from './commands/protocol.ts';
import type { ExpressionRunner, MutatorRunner } from './sandbox/protocol.ts';
import type { HandlerOutcome } from './trace.ts';

/** Names an environment variable and the Secret resource whose value it gets (interface section 5). */
export interface SecretReference {
  readonly name: string;
  readonly secret: string;
}

/** Definitions by namespace and name, from memory; undefined when there is none. */
export interface ResourceLookup {
  handler(namespace: string, name: string): Handler | undefined;
  filter(namespace: string, name: string): EventFilter | undefined;
  mutator(namespace: string, name: string): Mutator | undefined;
  pipeline(namespace: string, name: string): Pipeline | undefined;
}

/**
 * Turns references into `NAME=value` strings, empty ones left out, in order. Rejects with the texts of that
 * section; a MonError that says `retry` marks the provider as out of reach rather than the reference as wrong.
 */
export type ResolveSecrets = (
  namespace: string,
  references: readonly SecretReference[],
) => Promise<readonly string[]>;

export type GateAnswer =
  /** Call `leave` exactly once, with what came of it and why: the circuit learns from it. */
  | { readonly entered: true; readonly leave: (outcome: HandlerOutcome, why: string) => void }
  | { readonly entered: false; readonly why: string };

/** May wait for a worker slot; refuses at once while the circuit of the handler is open. */
export interface HandlerGate {
  enter(namespace: string, handler: string): Promise<GateAnswer>;
}

/** What the runtime assets of a definition bring along. */
export interface AssetBundle {
  /** Additions to the environment of a command (PATH and the like already joined with ours). */
  readonly env: Readonly<Record<string, string>>;
  /** Reads the `.js` files below `lib/`, for filters and JavaScript mutators. Rejects when they are too much. */
  scripts(): Promise<readonly string[]>;
}

/** Rejects, with the reason in words, when one of the assets is not defined or can't be had. */
export type LoadAssets = (namespace: string, names: readonly string[]) => Promise<AssetBundle>;

export interface PipelineDeps {
  readonly lookup: ResourceLookup;
  readonly filters: ExpressionRunner;
  readonly mutators: MutatorRunner;
  readonly resolveSecrets: ResolveSecrets;
  readonly gate: HandlerGate;
  /** Runs commands; absent: in this process, whose event loop then waits for every fork (see CommandHelper). */
  readonly commands?: CommandRunner;
  readonly loadAssets: LoadAssets;
  /** The environment commands start from. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Wall clock, milliseconds since the epoch: time windows and `seconds_since`. */
  readonly nowMs: () => number;
  /** Aborted when the backend stops: running commands are ended with their whole process group. */
  readonly signal?: AbortSignal;
}

/** For a house without assets: who names one is told. */
export const noAssets: LoadAssets = async (_, names) => {
  throw new Error(`runtime asset "${names[0]}": this backend keeps no assets`);
};

export const openGate: HandlerGate = {
  enter: async () => ({ entered: true, leave: () => {} }),
};
