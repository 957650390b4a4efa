// What a machine's snapshot is to the platform: its active states and its context. XState knows more, none of it durable.
import type { Snapshot } from 'xstate';

export interface MachineSnapshot<TContext> {
  readonly value: unknown;
  readonly context: TContext;
}

export const contextOf = <TContext>(snapshot: Snapshot<unknown>): TContext =>
  (snapshot as unknown as MachineSnapshot<TContext>).context;

export const stateValueOf = (snapshot: Snapshot<unknown>): unknown =>
  (snapshot as unknown as MachineSnapshot<unknown>).value;
