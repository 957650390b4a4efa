// How often something happened since it was last cleared.
import { assign, emit, type Snapshot, setup } from 'xstate';
import { type RestoreRule, restore } from '../restore-rule.ts';

export interface TallyContext {
  readonly count: number;
}

export type TallyFact =
  | { readonly type: 'tally.raised'; readonly nowMs: number }
  | { readonly type: 'tally.cleared'; readonly nowMs: number };

export type TallyEffect = { readonly type: 'persist' };

export const tallyMachine = setup({
  types: { context: {} as TallyContext, events: {} as TallyFact, emitted: {} as TallyEffect },
  actions: {
    raise: assign(({ context, event }) => ({ count: context.count + Math.sign(event.nowMs) })),
    clear: assign({ count: 0 }),
    persist: emit({ type: 'persist' }),
  },
}).createMachine({
  id: 'tally',
  description: 'Counts, and forgets when told to.',
  meta: { events: { 'tally.raised': 'It happened once more.', 'tally.cleared': 'Counting begins anew.' } },
  initial: 'counting',
  context: { count: 0 },
  states: {
    counting: {
      description: 'Waits for the next time.',
      on: {
        'tally.raised': { description: 'One more.', actions: ['raise', 'persist'] },
        'tally.cleared': { description: 'Back to zero.', actions: ['clear', 'persist'] },
      },
    },
  },
});

const shape: RestoreRule = {
  version: 1,
  migrate: {},
  contextFault: ({ count }) => (typeof count === 'number' ? undefined : 'context.count is not a number'),
};

export const tallyVersion = shape.version;

export const restoreTally = (state: unknown, version: number): Snapshot<unknown> =>
  restore(tallyMachine, shape, state, version);
