// What a statechart means, case by case (after the W3C tests of SCXML and the SCION suite): a machine, the events it is sent,
// where it ends and which actions run in which order. Each case is run by XState alone and by the executor.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  and,
  assign,
  createMachine,
  getInitialSnapshot,
  not,
  or,
} from 'xstate';
import { executorOf } from '../../../../src/actors/runtime/statechart/executor.ts';
import { byXState, inertScope } from './by-xstate.ts';

/** A definition in short: actions are names, which are noted when they run. */
type Config = Readonly<Record<string, unknown>>;

interface Case {
  readonly what: string;
  readonly machine: Config;
  readonly events: readonly string[];
  readonly value: unknown;
  readonly ran: string;
}

const enterLeave = (name: string, more: Config = {}): Config => ({
  entry: `+${name}`,
  exit: `-${name}`,
  ...more,
});

const guards = {
  yes: () => true,
  no: () => false,
  noted: ({ context }: { context: { log: string[] } }) => context.log.length > 0,
};

const cases: readonly Case[] = [
  {
    what: 'a transition leaves its source, acts, and enters its target',
    machine: {
      initial: 'a',
      states: { a: enterLeave('a', { on: { e: { target: 'b', actions: 'e' } } }), b: enterLeave('b') },
    },
    events: ['e'],
    value: 'b',
    ran: '-a e +b',
  },
  {
    what: 'actions run in the order in which they are written',
    machine: { on: { e: { actions: ['one', 'two', 'three'] } } },
    events: ['e'],
    value: {},
    ran: 'one two three',
  },
  {
    what: 'of several transitions the first whose guard agrees is taken, and only that one',
    machine: { on: { e: [{ guard: 'no', actions: '1' }, { guard: 'yes', actions: '2' }, { actions: '3' }] } },
    events: ['e'],
    value: {},
    ran: '2',
  },
  {
    what: 'guards combine: and, or, not',
    machine: {
      on: {
        a: [
          { guard: and(['yes', 'no']), actions: 'a1' },
          { guard: and(['yes', not('no')]), actions: 'a2' },
        ],
        b: [
          { guard: or(['no', 'no']), actions: 'b1' },
          { guard: or(['no', and(['yes', 'yes'])]), actions: 'b2' },
        ],
      },
    },
    events: ['a', 'b'],
    value: {},
    ran: 'a2 b2',
  },
  {
    what: 'a guard sees the context as it was before the message, whatever actions do',
    machine: {
      type: 'parallel',
      states: {
        one: { on: { e: { actions: 'one' } } },
        two: { on: { e: [{ guard: 'noted', actions: 'late' }, { actions: 'early' }] } },
      },
    },
    events: ['e', 'e'],
    value: { one: {}, two: {} },
    ran: 'one early one late',
  },
  {
    what: 'an inner state answers before an outer one',
    machine: {
      initial: 'a',
      on: { e: { actions: 'outer' } },
      states: { a: { on: { e: { actions: 'inner' } } } },
    },
    events: ['e'],
    value: 'a',
    ran: 'inner',
  },
  {
    what: 'an outer state answers when the inner one says no',
    machine: {
      initial: 'a',
      on: { e: { actions: 'outer' } },
      states: { a: { on: { e: { guard: 'no', actions: 'inner' } } } },
    },
    events: ['e'],
    value: 'a',
    ran: 'outer',
  },
  {
    what: 'a transition that does nothing keeps outer states from answering',
    machine: { initial: 'a', on: { e: { actions: 'outer' } }, states: { a: { on: { e: {} } } } },
    events: ['e'],
    value: 'a',
    ran: '',
  },
  {
    what: 'states are left from the inside out and entered from the outside in',
    machine: {
      initial: 'a',
      states: {
        a: enterLeave('a', {
          initial: 'aa',
          states: { aa: enterLeave('aa', { initial: 'aaa', states: { aaa: enterLeave('aaa') } }) },
          on: { e: { target: 'b', actions: 'e' } },
        }),
        b: enterLeave('b', { initial: 'bb', states: { bb: enterLeave('bb') } }),
      },
    },
    events: ['e'],
    value: { b: 'bb' },
    ran: '-aaa -aa -a e +b +bb',
  },
  {
    what: 'a target deep inside is entered past the initial states',
    machine: {
      initial: 'a',
      states: {
        a: { on: { e: '#deep' } },
        b: enterLeave('b', {
          initial: 'first',
          states: { first: enterLeave('first'), second: enterLeave('second', { id: 'deep' }) },
        }),
      },
    },
    events: ['e'],
    value: { b: 'second' },
    ran: '+b +second',
  },
  {
    what: 'an internal transition to a child leaves the parent alone',
    machine: {
      initial: 'p',
      states: {
        p: enterLeave('p', {
          initial: 'a',
          on: { e: { target: '.b', actions: 'e' } },
          states: { a: enterLeave('a'), b: enterLeave('b') },
        }),
      },
    },
    events: ['e'],
    value: { p: 'b' },
    ran: '-a e +b',
  },
  {
    what: 'an external one (reenter) leaves the parent and enters it again',
    machine: {
      initial: 'p',
      states: {
        p: enterLeave('p', {
          initial: 'a',
          on: { e: { target: '.b', reenter: true, actions: 'e' } },
          states: { a: enterLeave('a'), b: enterLeave('b') },
        }),
      },
    },
    events: ['e'],
    value: { p: 'b' },
    ran: '-a -p e +p +b',
  },
  {
    what: 'a state that leads to itself internally does not move',
    machine: { initial: 'a', states: { a: enterLeave('a', { on: { e: { target: 'a', actions: 'e' } } }) } },
    events: ['e'],
    value: 'a',
    ran: 'e',
  },
  {
    what: 'a state that leads to itself externally is left and entered',
    machine: {
      initial: 'a',
      states: { a: enterLeave('a', { on: { e: { target: 'a', reenter: true, actions: 'e' } } }) },
    },
    events: ['e'],
    value: 'a',
    ran: '-a e +a',
  },
  {
    what: 'a compound state that leads to itself internally starts its children anew',
    machine: {
      initial: 'p',
      states: {
        p: enterLeave('p', {
          initial: 'a',
          on: { reset: 'p' },
          states: { a: enterLeave('a', { on: { e: 'b' } }), b: enterLeave('b') },
        }),
      },
    },
    events: ['e', 'reset'],
    value: { p: 'a' },
    ran: '-a +b -b +a',
  },
  {
    what: 'every region of a parallel state answers, in the order in which they are written',
    machine: {
      type: 'parallel',
      states: {
        one: {
          initial: 'a',
          states: { a: enterLeave('1a', { on: { e: { target: 'b', actions: '1' } } }), b: enterLeave('1b') },
        },
        two: {
          initial: 'a',
          states: { a: enterLeave('2a', { on: { e: { target: 'b', actions: '2' } } }), b: enterLeave('2b') },
        },
      },
    },
    events: ['e'],
    value: { one: 'b', two: 'b' },
    ran: '-2a -1a 1 2 +1b +2b',
  },
  {
    what: 'a parallel state answers only where no region does',
    machine: {
      type: 'parallel',
      on: { e: { actions: 'outer' }, f: { actions: 'outer f' } },
      states: { one: { on: { e: { actions: 'one' } } }, two: {} },
    },
    events: ['e', 'f'],
    value: { one: {}, two: {} },
    ran: 'one outer f',
  },
  {
    what: 'a transition out of one region leaves all of them',
    machine: {
      initial: 'p',
      states: {
        p: enterLeave('p', {
          type: 'parallel',
          states: {
            one: enterLeave('1', { on: { e: { target: '#out', actions: 'e' } } }),
            two: enterLeave('2'),
          },
        }),
        out: enterLeave('out', { id: 'out' }),
      },
    },
    events: ['e'],
    value: 'out',
    ran: '-2 -1 -p e +out',
  },
  {
    what: 'of two transitions that leave the same states the first region wins',
    machine: {
      initial: 'p',
      states: {
        p: {
          type: 'parallel',
          states: {
            one: { on: { e: { target: '#x', actions: 'one' } } },
            two: { on: { e: { target: '#y', actions: 'two' } } },
          },
        },
        x: { id: 'x' },
        y: { id: 'y' },
      },
    },
    events: ['e'],
    value: 'x',
    ran: 'one',
  },
  {
    what: 'a target in one region enters the others by default',
    machine: {
      initial: 'a',
      states: {
        a: { on: { e: '#deep' } },
        p: enterLeave('p', {
          type: 'parallel',
          states: {
            one: enterLeave('1', {
              initial: 'i',
              states: { i: enterLeave('1i'), d: enterLeave('1d', { id: 'deep' }) },
            }),
            two: enterLeave('2', { initial: 'i', states: { i: enterLeave('2i') } }),
          },
        }),
      },
    },
    events: ['e'],
    value: { p: { one: 'd', two: 'i' } },
    ran: '+p +1 +1d +2 +2i',
  },
  {
    what: 'two targets in two regions are entered together',
    machine: {
      initial: 'a',
      states: {
        a: { on: { e: { target: ['#one', '#two'] } } },
        p: {
          type: 'parallel',
          states: {
            one: { initial: 'i', states: { i: {}, d: enterLeave('1d', { id: 'one' }) } },
            two: { initial: 'i', states: { i: {}, d: enterLeave('2d', { id: 'two' }) } },
          },
        },
      },
    },
    events: ['e'],
    value: { p: { one: 'd', two: 'd' } },
    ran: '+1d +2d',
  },
  {
    what: 'shallow history leads back to the child, and to the beginning inside it',
    machine: {
      initial: 'p',
      states: {
        p: {
          initial: 'a',
          on: { out: 'o' },
          states: {
            a: { on: { e: 'b' } },
            b: { initial: 'b1', states: { b1: enterLeave('b1', { on: { e: 'b2' } }), b2: enterLeave('b2') } },
            h: { type: 'history' },
          },
        },
        o: { on: { back: 'p.h' } },
      },
    },
    events: ['e', 'e', 'out', 'back'],
    value: { p: { b: 'b1' } },
    ran: '+b1 -b1 +b2 -b2 +b1',
  },
  {
    what: 'deep history leads back to the innermost states',
    machine: {
      initial: 'p',
      states: {
        p: {
          initial: 'a',
          on: { out: 'o' },
          states: {
            a: { on: { e: 'b' } },
            b: { initial: 'b1', states: { b1: { on: { e: 'b2' } }, b2: enterLeave('b2') } },
            h: { type: 'history', history: 'deep' },
          },
        },
        o: { on: { back: 'p.h' } },
      },
    },
    events: ['e', 'e', 'out', 'back'],
    value: { p: { b: 'b2' } },
    ran: '+b2 -b2 +b2',
  },
  {
    what: 'history without a past leads to its target, or to the initial state',
    machine: {
      initial: 'o',
      states: {
        p: {
          initial: 'a',
          states: { a: enterLeave('a'), b: enterLeave('b'), h: { type: 'history', target: 'b' } },
        },
        q: { initial: 'a', states: { a: enterLeave('qa'), h: { type: 'history' } } },
        o: { on: { back: 'p.h' } },
      },
      on: { other: '.q.h' },
    },
    events: ['back', 'other'],
    value: { q: 'a' },
    ran: '+b -b +qa',
  },
  {
    what: 'a history state may be the initial one of its parent, and is no active state itself',
    machine: {
      initial: 'o',
      states: {
        p: {
          initial: 'h',
          states: {
            a: enterLeave('a'),
            b: enterLeave('b', { on: { go: 'a' } }),
            h: { type: 'history', target: 'b' },
          },
        },
        o: { on: { in: 'p' } },
      },
      on: { out: '.o' },
    },
    events: ['in', 'go', 'out', 'in'],
    value: { p: 'a' },
    ran: '+b -b +a -a +a',
  },
  {
    what: 'deep history of a parallel state leads back in every region',
    machine: {
      initial: 'p',
      states: {
        p: {
          type: 'parallel',
          on: { out: 'o' },
          states: {
            one: { initial: 'a', states: { a: { on: { e: 'b' } }, b: {} } },
            two: { initial: 'a', states: { a: { on: { f: 'b' } }, b: {} } },
            h: { type: 'history', history: 'deep' },
          },
        },
        o: { on: { back: 'p.h' } },
      },
    },
    events: ['e', 'f', 'out', 'back'],
    value: { p: { one: 'b', two: 'b' } },
    ran: '',
  },
  {
    what: 'an eventless transition follows at once',
    machine: {
      initial: 'a',
      states: {
        a: { on: { e: { target: 'b', actions: 'e' } } },
        b: enterLeave('b', { always: { target: 'c', actions: 'always' } }),
        c: enterLeave('c'),
      },
    },
    events: ['e'],
    value: 'c',
    ran: 'e +b -b always +c',
  },
  {
    what: 'an eventless transition waits for its guard, and sees what actions did',
    machine: {
      initial: 'a',
      states: { a: { on: { e: { actions: 'e' } }, always: { guard: 'noted', target: 'b' } }, b: {} },
    },
    events: ['e'],
    value: 'b',
    ran: 'e',
  },
  {
    what: 'an eventless transition is asked for with an event that nothing answers',
    machine: {
      type: 'parallel',
      states: {
        one: { on: { e: { actions: 'e' } } },
        two: {
          initial: 'a',
          states: {
            a: { always: { guard: 'noted', target: 'b', actions: 'first' } },
            b: { always: { guard: 'no', target: 'a' } },
          },
        },
      },
    },
    events: ['unknown', 'e', 'unknown'],
    value: { one: {}, two: 'b' },
    ran: 'e first',
  },
  {
    what: 'a chain of eventless transitions comes to rest at its end',
    machine: {
      initial: 'a',
      states: {
        a: { on: { e: 'b' } },
        b: {
          always: [
            { guard: 'no', target: 'a' },
            { target: 'c', actions: '1' },
          ],
        },
        c: { always: { target: 'd', actions: '2' } },
        d: {},
      },
    },
    events: ['e'],
    value: 'd',
    ran: '1 2',
  },
  {
    what: 'an inner eventless transition comes before an outer one',
    machine: {
      initial: 'a',
      states: {
        a: { on: { e: 'p' } },
        p: {
          initial: 'x',
          always: { target: 'z', actions: 'outer' },
          states: { x: { always: { target: 'y', actions: 'inner' } }, y: {} },
        },
        z: {},
      },
    },
    events: ['e'],
    value: 'z',
    ran: 'inner outer',
  },
  {
    what: 'an exact event comes before a wildcard, and a longer wildcard before a shorter one',
    machine: {
      on: {
        '*': { actions: 'any' },
        'a.*': { actions: 'a' },
        'a.b.*': { actions: 'ab' },
        'a.b.c': { actions: 'abc' },
      },
    },
    events: ['a.b.c', 'a.b.x', 'a.x', 'x'],
    value: {},
    ran: 'abc ab a any',
  },
  {
    what: 'a wildcard answers when the guard of the exact event says no',
    machine: { on: { 'a.b': { guard: 'no', actions: 'exact' }, 'a.*': { actions: 'wild' } } },
    events: ['a.b'],
    value: {},
    ran: 'wild',
  },
  {
    what: 'a prefix wildcard matches whole words, and the prefix itself',
    machine: { on: { 'a.*': { actions: 'wild' } } },
    events: ['a', 'ab', 'a.b'],
    value: {},
    ran: 'wild wild',
  },
  {
    what: 'a wildcard of an inner state comes before the exact event of an outer one',
    machine: {
      initial: 'a',
      on: { e: { actions: 'outer' } },
      states: { a: { on: { '*': { actions: 'inner' } } } },
    },
    events: ['e'],
    value: 'a',
    ran: 'inner',
  },
  {
    what: 'a compound state whose child is final is done',
    machine: {
      initial: 'p',
      states: {
        p: {
          initial: 'a',
          onDone: { target: 'next', actions: 'done' },
          states: { a: { on: { e: 'end' } }, end: enterLeave('end', { type: 'final' }) },
        },
        next: enterLeave('next'),
      },
    },
    events: ['e'],
    value: 'next',
    ran: '+end -end done +next',
  },
  {
    what: 'a parallel state is done when all its regions are',
    machine: {
      initial: 'p',
      states: {
        p: {
          type: 'parallel',
          onDone: { target: 'next', actions: 'done' },
          states: {
            one: { initial: 'a', states: { a: { on: { e: 'end' } }, end: { type: 'final' } } },
            two: { initial: 'a', states: { a: { on: { f: 'end' } }, end: { type: 'final' } } },
          },
        },
        next: {},
      },
    },
    events: ['e', 'f'],
    value: 'next',
    ran: 'done',
  },
  {
    what: 'a machine that ends leaves all its states',
    machine: {
      initial: 'a',
      states: { a: enterLeave('a', { on: { e: 'end' } }), end: enterLeave('end', { type: 'final' }) },
    },
    events: ['e'],
    value: 'end',
    ran: '-a +end -end',
  },
  {
    what: 'an event nobody names changes nothing',
    machine: { initial: 'a', states: { a: enterLeave('a', { on: { e: 'a' } }) } },
    events: ['unknown'],
    value: 'a',
    ran: '',
  },
];

const namesIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(namesIn);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(namesIn) : [];
};

interface Log {
  readonly log: readonly string[];
}

const machineOf = (config: Config): AnyStateMachine => {
  const note = (name: string) =>
    assign({ log: ({ context }: { context: Log }) => [...context.log, name] }) as unknown;
  const actions = Object.fromEntries(namesIn(config).map((name) => [name, note(name)]));
  return createMachine({ id: 'm', context: { log: [] }, ...config } as never, { actions, guards } as never);
};

type Send = (
  machine: AnyStateMachine,
  snapshot: AnyMachineSnapshot,
  event: AnyEventObject,
) => AnyMachineSnapshot;

const runners: Readonly<Record<string, Send>> = {
  XState: (machine, snapshot, event) => byXState(machine, snapshot, event).next,
  'the executor': (machine, snapshot, event) =>
    executorOf(machine).advance(snapshot, event, inertScope(machine), () => {}),
};

for (const [by, send] of Object.entries(runners)) {
  for (const { what, machine: config, events, value, ran } of cases) {
    test(`${what} (by ${by})`, () => {
      const machine = machineOf(config);
      const initial = getInitialSnapshot(machine) as AnyMachineSnapshot;
      // The entry of initial states is not what these are about.
      const start = { ...initial, context: { log: [] } } as AnyMachineSnapshot;
      const end = events.reduce((snapshot, type) => send(machine, snapshot, { type }), start);
      assert.deepEqual(end.value, value);
      assert.equal((end.context as Log).log.join(' '), ran);
    });
  }
}
