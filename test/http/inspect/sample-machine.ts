// A machine with one of everything a drawing has to show. Never run: it is looked at.
import { and, fromPromise, not, setup } from 'xstate';

export const sampleMachine = setup({
  types: {
    context: {} as { count: number },
    events: {} as
      | { type: 'go'; n: number }
      | { type: 'back' }
      | { type: 'note' }
      | { type: 'jump' }
      | { type: 'group.one' },
  },
  actors: { work: fromPromise(async () => 1) },
  actions: { log: () => undefined, count: () => undefined },
  guards: {
    isLarge: ({ event }) => event.type === 'go' && event.n > 10,
    isOpen: ({ context }) => context.count >= 0,
    isStrange: () => {
      throw new Error('no idea');
    },
  },
  delays: { patience: 5000 },
}).createMachine({
  id: 'sample',
  type: 'parallel',
  context: { count: 0 },
  meta: { events: { go: 'Somebody asks to go on.' } },
  states: {
    road: {
      initial: 'start',
      description: 'The road.',
      on: { jump: '.middle.second' },
      states: {
        start: {
          description: 'Waits for go.',
          entry: 'log',
          on: {
            go: [
              { guard: and(['isLarge', not('isStrange')]), target: 'end' },
              { guard: 'isLarge', target: 'end', actions: ['log', 'count'] },
              { guard: 'isOpen', target: 'middle' },
            ],
            note: { actions: 'count' },
            back: { target: 'start', reenter: true },
          },
        },
        middle: {
          initial: 'first',
          tags: 'busy',
          on: { back: 'start', 'group.*': { actions: 'log' }, '*': { actions: 'count' } },
          onDone: 'decide',
          states: {
            first: { after: { patience: 'second' } },
            second: { invoke: { src: 'work', onDone: 'third', onError: { target: '#sample.road.end' } } },
            third: { type: 'final' },
            memory: { type: 'history', history: 'deep' },
          },
        },
        decide: { always: [{ guard: 'isOpen', target: 'end' }, { target: 'start' }] },
        end: { type: 'final' },
      },
    },
    lamp: {
      initial: 'off',
      states: { off: { on: { note: 'on' } }, on: { exit: 'log', on: { note: 'off' } } },
    },
  },
});
