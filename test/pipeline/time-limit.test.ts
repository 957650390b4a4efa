import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maxStretch } from '../../src/pipeline/limits.ts';
import { createTimeLimiter, threadCpuMs } from '../../src/pipeline/sandbox/time-limit.ts';

/** Clocks that are moved by hand: `run` passes wall time of which the thread gets a share. */
const handClocks = (cpu = true) => {
  const now = { wallMs: 1_000, cpuMs: 70 };
  return {
    clocks: { wallMs: () => now.wallMs, cpuMs: () => (cpu ? now.cpuMs : null) },
    run: (ms: number, share = 1) => {
      now.wallMs += ms;
      now.cpuMs += ms * share;
    },
  };
};

describe('the time limit of a program', () => {
  it('is over after that much work, not before', () => {
    const { clocks, run } = handClocks();
    const isOver = createTimeLimiter(clocks)(50);
    run(50);
    assert.equal(isOver(), false);
    run(1);
    assert.equal(isOver(), true);
  });

  it('waits for a thread that gets no processor, up to a multiple of the limit', () => {
    const { clocks, run } = handClocks();
    const isOver = createTimeLimiter(clocks)(50);
    run(100, 0.25);
    assert.equal(isOver(), false);
    run(26);
    assert.equal(isOver(), true);
    const starved = createTimeLimiter(clocks)(50);
    run(50 * maxStretch, 0);
    assert.equal(starved(), false);
    run(1, 0);
    assert.equal(starved(), true);
  });

  it('is a matter of the wall clock where the kernel does not account for threads', () => {
    const { clocks, run } = handClocks(false);
    const isOver = createTimeLimiter(clocks)(50);
    run(51, 0);
    assert.equal(isOver(), true);
  });

  it('restarts with each program', () => {
    const { clocks, run } = handClocks();
    const start = createTimeLimiter(clocks);
    start(50);
    run(500);
    const isOver = start(50);
    run(45);
    assert.equal(isOver(), false);
    run(6);
    assert.equal(isOver(), true);
  });
});

describe('processor time of a thread', () => {
  it('grows with work, where the kernel tells it', (test) => {
    const before = threadCpuMs();
    if (before === null) {
      test.skip('SKIPPED: this kernel keeps no account of threads (/proc/thread-self/schedstat)');
      return;
    }
    for (let turns = 0; (threadCpuMs() ?? 0) < before + 5; turns += 1) assert.ok(turns < 1e6);
  });
});
