// The one scheduler of all waits, on a simulated clock.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { realClock } from '../../../src/actors/runtime/time/clock.ts';
import {
  createDeadlines,
  type Deadline,
  type DeadlineOptions,
} from '../../../src/actors/runtime/time/deadlines.ts';
import { fc } from '../../property.ts';
import { createSimulatedClock } from './simulated-clock.ts';

const setUp = (probeMs = 1_000) => {
  const clock = createSimulatedClock();
  const faults: unknown[] = [];
  const deadlines = createDeadlines({ clock, onFault: (error) => faults.push(error), probeMs });
  const fired: string[] = [];
  const note = (name: string) => () => fired.push(`${name}@${clock.monotonicMs()}`);
  return { clock, faults, deadlines, fired, note };
};

test('deadlines come at their wall time, in order', () => {
  const { clock, deadlines, fired, note } = setUp();
  const wallMs = clock.wallMs();
  deadlines.at(wallMs + 300, note('c'));
  deadlines.at(wallMs + 100, note('a'));
  deadlines.at(wallMs + 200, note('b'));
  deadlines.at(wallMs - 5_000, note('past'));
  clock.advance(250);
  assert.deepEqual(fired, ['past@0', 'a@100', 'b@200']);
  clock.advance(50);
  assert.equal(fired.at(-1), 'c@300');
  assert.equal(deadlines.size, 0);
  assert.equal(clock.timers, 0, 'nothing armed, no timer');
});

for (const waitMs of [2 ** 31 - 1, 2 ** 31, 40 * 86_400_000]) {
  test(`a wait of ${waitMs} ms comes on time, not at once`, () => {
    const { clock, deadlines, fired, note } = setUp(Number.POSITIVE_INFINITY);
    deadlines.at(clock.wallMs() + waitMs, note('far'));
    clock.advance(waitMs - 1);
    assert.deepEqual(fired, []);
    clock.advance(1);
    assert.deepEqual(fired, [`far@${waitMs}`]);
  });
}

test('a wait of thirty days does not fire at once on the real clock', async () => {
  const deadlines = createDeadlines({
    clock: realClock,
    onFault: (error) => assert.fail(String(error)),
    probeMs: Number.POSITIVE_INFINITY,
  });
  let fired = false;
  deadlines.at(Date.now() + 30 * 86_400_000, () => {
    fired = true;
  });
  // A later timer of the same clock fires, so an overflown one would have fired before it.
  await new Promise<void>((resolve) => void deadlines.at(Date.now() + 20, resolve));
  deadlines.close();
  assert.equal(fired, false);
});

for (const jumpMs of [-3_600_000, 3_600_000]) {
  test(`a wall clock set by ${jumpMs / 60_000} minutes neither fires nor delays what is armed`, () => {
    const { clock, deadlines, fired, note } = setUp();
    for (let index = 0; index < 100; index += 1)
      deadlines.at(clock.wallMs() + 10_000 + index, note(`d${index}`));
    clock.advance(5_000);
    clock.jumpWall(jumpMs);
    clock.advance(4_999);
    assert.equal(fired.length, 0);
    clock.advance(101);
    assert.equal(fired.length, 100);
  });
}

for (const jumpMs of [-86_400_000, -3_600_000]) {
  test(`a wait for the wall clock comes at once, early, when that is set by ${jumpMs / 3_600_000} h`, () => {
    const { clock, deadlines, fired, note } = setUp();
    const steps: number[] = [];
    deadlines.onWallStep((ms) => steps.push(ms));
    deadlines.at(clock.wallMs() + 20_000, note('second'), { anchor: 'wall' });
    deadlines.at(clock.wallMs() + 10_000, note('first'), { anchor: 'wall' });
    clock.advance(5_500);
    clock.jumpWall(jumpMs);
    clock.advance(1_000);
    assert.deepEqual(fired, ['first@6000', 'second@6000'], 'within the second in which we look');
    assert.deepEqual(steps, [jumpMs]);
    assert.equal(deadlines.wallSteps, 1);
  });
}

for (const jumpMs of [3_600_000, 86_400_000]) {
  test(`a wait for the wall clock ends sooner when that is set by ${jumpMs / 3_600_000} h`, () => {
    const { clock, deadlines, fired, note } = setUp();
    const wallMs = clock.wallMs();
    deadlines.at(wallMs + 10_000, note('passed'), { anchor: 'wall' });
    deadlines.at(wallMs + jumpMs + 30_000, note('ahead'), { anchor: 'wall' });
    deadlines.at(wallMs + 10_000, note('elapsed'));
    deadlines.at(wallMs + 10_000, note('forgiving'), { forgiving: true });
    clock.advance(5_500);
    clock.jumpWall(jumpMs);
    clock.advance(1_000);
    assert.deepEqual(fired, ['passed@6000']);
    clock.advance(23_499);
    assert.deepEqual(fired.slice(1), ['elapsed@10000', 'forgiving@10000']);
    clock.advance(1);
    assert.equal(fired.at(-1), 'ahead@30000', 'at its time on the wall');
  });
}

test('a wall clock that is slewed is followed without a word', () => {
  const { clock, deadlines, fired, note } = setUp();
  deadlines.at(clock.wallMs() + 60_000, note('late'), { anchor: 'wall' });
  for (let second = 0; second < 30; second += 1) {
    clock.advance(1_000);
    clock.jumpWall(-10);
  }
  clock.advance(30_299);
  assert.deepEqual(fired, []);
  clock.advance(1);
  assert.deepEqual(fired, ['late@60300']);
  assert.equal(deadlines.wallSteps, 0);
});

test('a wait that is moved after the wall clock was set, before anybody looked, comes at its new time', () => {
  const { clock, deadlines, fired, note } = setUp();
  const moved = deadlines.at(clock.wallMs() + 10_000, note('moved'), { anchor: 'wall' });
  clock.jumpWall(3_600_000);
  deadlines.rearm(moved, clock.wallMs() + 5_000);
  assert.equal(deadlines.remainingMs(moved), 5_000);
  clock.advance(5_000);
  assert.deepEqual(fired, ['moved@5000']);
});

test('a machine that slept wakes to a wall clock far ahead: what waits for the wall is due, silence is not', () => {
  const { clock, deadlines, fired, note } = setUp();
  deadlines.at(clock.wallMs() + 60_000, note('wall'), { anchor: 'wall' });
  deadlines.at(clock.wallMs() + 60_000, note('keepalive'), { forgiving: true });
  clock.advance(10_000);
  clock.jumpWall(8 * 3_600_000);
  clock.advance(1_000);
  assert.deepEqual(fired, ['wall@11000']);
});

test('a process that was stopped finds the wall clock where it should be', () => {
  const { clock, deadlines, fired, note } = setUp();
  deadlines.at(clock.wallMs() + 60_000, note('wall'), { anchor: 'wall' });
  clock.advance(500);
  clock.pause(90_000);
  assert.deepEqual(fired, ['wall@90500']);
  assert.equal(deadlines.wallSteps, 0);
});

test('a wait cannot measure silence and follow the wall clock at once', () => {
  const { deadlines, note } = setUp();
  assert.throws(
    () => deadlines.at(0, note('both'), { forgiving: true, anchor: 'wall' }),
    /cannot be anchored to the wall/,
  );
});

test('a pause is added to forgiving deadlines and to no others', () => {
  const { clock, deadlines, fired, note } = setUp();
  const pauses: number[] = [];
  deadlines.onPause((ms) => pauses.push(ms));
  deadlines.at(clock.wallMs() + 60_000, note('strict'));
  deadlines.at(clock.wallMs() + 60_000, note('forgiving'), { forgiving: true });
  clock.advance(10_000);
  clock.pause(40_000);
  assert.deepEqual(pauses, [39_000], 'the probe was due after one second and came after forty');
  assert.equal(deadlines.forgivenMs, 39_000);
  clock.advance(10_000);
  assert.deepEqual(fired, ['strict@60000']);
  clock.advance(38_999);
  assert.equal(fired.length, 1);
  clock.advance(1);
  assert.deepEqual(fired, ['strict@60000', 'forgiving@99000']);
});

test('a process that was stopped past a deadline does not take its own absence for silence', () => {
  const { clock, deadlines, fired, note } = setUp();
  deadlines.at(clock.wallMs() + 20_000, note('keepalive'), { forgiving: true });
  clock.advance(5_000);
  clock.pause(3_600_000);
  assert.deepEqual(fired, []);
  clock.advance(17_000);
  assert.equal(fired.length, 1, 'it comes after the time that was left, less the probe');
});

test('what is armed after a pause that nobody has noticed yet is not pushed by it', () => {
  const { clock, deadlines, fired, note } = setUp();
  deadlines.at(clock.wallMs() + 1_000_000, note('other'));
  clock.advance(500);
  clock.hold(30_000);
  deadlines.at(clock.wallMs() + 1_000, note('fresh'), { forgiving: true });
  clock.advance(1_000);
  assert.deepEqual(fired, ['fresh@31500']);
  assert.equal(deadlines.forgivenMs, 29_500);
});

test('a small lag is told and forgives nothing', () => {
  const { clock, deadlines, note, fired } = setUp();
  deadlines.at(clock.wallMs() + 5_000, note('f'), { forgiving: true });
  clock.pause(1_900);
  assert.equal(deadlines.lagMs, 900);
  assert.equal(deadlines.forgivenMs, 0);
  clock.advance(3_100);
  assert.deepEqual(fired, ['f@5000']);
});

test('a deadline that throws is reported and stops nobody', () => {
  const { clock, deadlines, fired, note, faults } = setUp();
  deadlines.at(clock.wallMs() + 10, () => {
    throw new Error('due');
  });
  deadlines.at(clock.wallMs() + 10, note('next'));
  clock.advance(10);
  assert.deepEqual(fired, ['next@10']);
  assert.equal(faults.length, 1);
});

test('twenty thousand repeating deadlines keep their rhythm', () => {
  const { clock, deadlines } = setUp();
  let count = 0;
  const repeat = (): void => {
    count += 1;
    deadlines.after(10_000, repeat);
  };
  for (let index = 0; index < 20_000; index += 1) deadlines.after(10_000, repeat);
  clock.advance(60_000);
  assert.equal(count, 120_000, 'six times each: the clock steps, it does not jump');
});

test('any sequence of arming, moving, clearing and setting the wall clock fires what a plain list would', () => {
  const kinds = fc.constantFrom<DeadlineOptions>({}, { forgiving: true }, { anchor: 'wall' });
  const inMs = fc.integer({ min: 0, max: 5_000 });
  const command = fc.oneof(
    fc.record({ do: fc.constant('arm' as const), inMs, options: kinds }),
    fc.record({ do: fc.constant('move' as const), which: fc.nat(30), inMs }),
    fc.record({ do: fc.constant('clear' as const), which: fc.nat(30) }),
    fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 3_000 }) }),
    fc.record({
      do: fc.constant('jump' as const),
      ms: fc.constantFrom(-86_400_000, -5_000, 5_000, 3_600_000),
    }),
  );
  interface Expected {
    readonly id: number;
    readonly isWall: boolean;
    dueMs: number;
  }
  fc.assert(
    fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
      // The probe looks every millisecond: a clock that was set is noticed at once, and the list can be exact.
      const { clock, deadlines, fired } = setUp(1);
      const handles: Deadline[] = [];
      const list: Expected[] = [];
      const expected: string[] = [];
      const drop = (id: number): void => {
        const place = list.findIndex((entry) => entry.id === id);
        if (place >= 0) list.splice(place, 1);
      };
      const pass = (ms: number): void => {
        clock.advance(ms);
        const nowMs = clock.monotonicMs();
        for (const { id, dueMs } of list.filter((entry) => entry.dueMs <= nowMs)) {
          expected.push(`${id}@${dueMs}`);
          drop(id);
        }
      };
      for (const step of commands) {
        const nowMs = clock.monotonicMs();
        if (step.do === 'arm') {
          const id = handles.length;
          const due = (): void => void fired.push(`${id}@${clock.monotonicMs()}`);
          handles.push(deadlines.at(clock.wallMs() + step.inMs, due, step.options));
          list.push({ id, isWall: step.options.anchor === 'wall', dueMs: nowMs + step.inMs });
        } else if (step.do === 'advance') {
          pass(step.ms);
        } else if (step.do === 'jump') {
          // What is due this very instant goes first: its timer would notice the jump before the next probe does.
          pass(1);
          clock.jumpWall(step.ms);
          const noticedMs = clock.monotonicMs() + 1;
          for (const entry of list) {
            if (entry.isWall)
              entry.dueMs = step.ms < 0 ? noticedMs : Math.max(noticedMs, entry.dueMs - step.ms);
          }
          pass(1);
        } else {
          const handle = handles[step.which];
          if (handle === undefined) continue;
          drop(step.which);
          if (step.do === 'clear') deadlines.disarm(handle);
          else {
            deadlines.rearm(handle, clock.wallMs() + step.inMs);
            list.push({ id: step.which, isWall: handle.kind === 'wall', dueMs: nowMs + step.inMs });
          }
        }
      }
      // Equal times may come in any order when they are of different kinds.
      assert.deepEqual([...fired].sort(), [...expected].sort());
      assert.equal(deadlines.size, list.length);
    }),
    { numRuns: 300 },
  );
});
