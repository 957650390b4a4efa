// The one queue between actors: an actor with mail waits here for its turn, so a send never runs the receiver inside the sender.
//
// A turn handles at most 300 messages or 8 ms, then sockets and timers get theirs. One actor handles at most 16 messages
// before the next one: a busy actor delays the others, it cannot starve them. Posted tasks (stop, restart) go first.

import { maxBatchMessages, maxTurnMessages, maxTurnMs } from '../limits.ts';
import type { Clock } from '../time/clock.ts';
import { Histogram, type HistogramFigures, lengthBounds } from './histogram.ts';
import { RecentFigures } from './recent-figures.ts';

export interface Runnable {
  /** Handles one message; true when more wait. */
  runOne(): boolean;
  /** Messages that wait for it. */
  readonly mailboxDepth: number;
}

export interface RunQueue {
  /** Gives the runnable turns until its `runOne` returns false. Must not be called again before that. */
  schedule(runnable: Runnable): void;
  /** Runs a task of the runtime itself before any mail. */
  post(task: () => void): void;
  /** Runnables and tasks that wait for a turn. */
  readonly depth: number;
  readonly handled: number;
  readonly turns: number;
  /** Longest turn since the last time this was read. */
  takeLongestTurnMs(): number;
  /** Of the last 512 turns, milliseconds. */
  readonly turnP99Ms: number;
  /** What the first actor of each of the last 512 turns with mail found in its mailbox. */
  readonly mailboxDepthP99: number;
  /** Since the start. */
  histograms(): RunQueueHistograms;
}

export interface RunQueueHistograms {
  /** How long turns take, seconds. */
  readonly turnSeconds: HistogramFigures;
  /**
   * From the first message of an idle actor to its turn, seconds. A sample: one actor at a time is followed, so that no
   * message carries a time.
   */
  readonly waitSeconds: HistogramFigures;
  /** What `mailboxDepthP99` is made from. */
  readonly mailboxDepths: HistogramFigures;
}

export interface RunQueueOptions {
  readonly clock: Clock;
  /** Told when a task or a runnable throws; the queue goes on. */
  readonly onFault: (error: unknown) => void;
}

/** How long turns take, how long actors wait for theirs, and how much mail they find. */
class TurnFigures {
  readonly turnsMs = new RecentFigures();
  readonly depths = new RecentFigures();
  readonly waitSeconds = new Histogram();
  readonly #turnSeconds = new Histogram();
  readonly #mailboxDepths = new Histogram(lengthBounds);
  #longestTurnMs = 0;

  noteTurn(ms: number): void {
    this.#longestTurnMs = Math.max(this.#longestTurnMs, ms);
    this.turnsMs.add(ms);
    this.#turnSeconds.observe(ms / 1_000);
  }

  noteDepth(depth: number): void {
    this.depths.add(depth);
    this.#mailboxDepths.observe(depth);
  }

  takeLongestTurnMs(): number {
    const longest = this.#longestTurnMs;
    this.#longestTurnMs = 0;
    return longest;
  }

  histograms(): ReturnType<RunQueue['histograms']> {
    return {
      turnSeconds: this.#turnSeconds.read(),
      waitSeconds: this.waitSeconds.read(),
      mailboxDepths: this.#mailboxDepths.read(),
    };
  }
}

export function createRunQueue({ clock, onFault }: RunQueueOptions): RunQueue {
  // The lists are emptied from the front by an index and swapped when used up: no shifting of long arrays.
  let ready: Runnable[] = [];
  let readyHead = 0;
  let tasks: (() => void)[] = [];
  let taskHead = 0;
  let turnIsDue = false;
  let handled = 0;
  let turns = 0;
  const figures = new TurnFigures();
  let followed: Runnable | undefined;
  let followedSinceMs = 0;

  const wake = (): void => {
    if (turnIsDue) return;
    turnIsDue = true;
    clock.yieldTurn(turn);
  };

  const takeTask = (): (() => void) | undefined => {
    const task = tasks[taskHead];
    if (task === undefined) {
      if (taskHead > 0) tasks = [];
      taskHead = 0;
      return undefined;
    }
    taskHead += 1;
    return task;
  };

  const takeReady = (): Runnable | undefined => {
    const runnable = ready[readyHead];
    if (runnable === undefined) return undefined;
    readyHead += 1;
    if (runnable === followed) {
      figures.waitSeconds.observe((clock.monotonicMs() - followedSinceMs) / 1_000);
      followed = undefined;
    }
    if (readyHead > 1_024 && readyHead * 2 > ready.length) {
      ready = ready.slice(readyHead);
      readyHead = 0;
    } else if (readyHead === ready.length) {
      ready = [];
      readyHead = 0;
    }
    return runnable;
  };

  const runTask = (task: () => void): void => {
    try {
      task();
    } catch (error) {
      onFault(error);
    }
  };

  /** True when the runnable wants another turn. */
  const runBatch = (runnable: Runnable, budget: number, untilMs: number): boolean => {
    try {
      for (let count = 0; count < budget; count += 1) {
        handled += 1;
        if (!runnable.runOne()) return false;
        if (clock.monotonicMs() >= untilMs) return true;
      }
      return true;
    } catch (error) {
      onFault(error);
      return false;
    }
  };

  /** One look a turn costs nothing and sees enough turns to tell a rare long queue from a common one. */
  const noteDepth = (): void => {
    const first = ready[readyHead];
    if (first === undefined) return;
    figures.noteDepth(first.mailboxDepth);
  };

  function turn(): void {
    const startedMs = clock.monotonicMs();
    const untilMs = startedMs + maxTurnMs;
    const stopAt = handled + maxTurnMessages;
    let taskCount = 0;
    let nowMs = startedMs;
    noteDepth();
    do {
      const task = takeTask();
      if (task !== undefined) {
        runTask(task);
        taskCount += 1;
      } else {
        const runnable = takeReady();
        if (runnable === undefined) break;
        const budget = Math.min(maxBatchMessages, stopAt - handled);
        if (runBatch(runnable, budget, untilMs)) ready.push(runnable);
      }
      nowMs = clock.monotonicMs();
    } while (handled < stopAt && taskCount < maxTurnMessages && nowMs < untilMs);
    turns += 1;
    figures.noteTurn(nowMs - startedMs);
    turnIsDue = false;
    if (depth() > 0) wake();
  }

  const depth = (): number => ready.length - readyHead + tasks.length - taskHead;

  return {
    schedule(runnable) {
      if (followed === undefined) {
        followed = runnable;
        followedSinceMs = clock.monotonicMs();
      }
      ready.push(runnable);
      wake();
    },
    post(task) {
      tasks.push(task);
      wake();
    },
    get depth() {
      return depth();
    },
    get handled() {
      return handled;
    },
    get turns() {
      return turns;
    },
    takeLongestTurnMs: () => figures.takeLongestTurnMs(),
    get turnP99Ms() {
      return figures.turnsMs.percentile(0.99);
    },
    get mailboxDepthP99() {
      return figures.depths.percentile(0.99);
    },
    histograms: () => figures.histograms(),
  };
}
