// Starting children in order: each begins when the one before it is up, and the loop gets its turn in between.

import { maxStartsPerTurn } from '../limits.ts';
import type { Child } from './child.ts';

/** waiting: for a child that is starting or has failed; pausing: to let the event loop turn; done: all have begun. */
export type SequenceState = 'waiting' | 'pausing' | 'done';

export interface SequenceOptions {
  /** False for a child that was removed meanwhile. */
  readonly isWanted: (child: Child) => boolean;
  /** Whether the next may begin although this one failed to start. */
  readonly skipsFailed: boolean;
}

export class StartSequence {
  readonly #children: readonly Child[];
  readonly #options: SequenceOptions;
  #next = 0;
  #hasBegun = false;
  #isAdvancing = false;

  constructor(children: readonly Child[], options: SequenceOptions) {
    this.#children = children;
    this.#options = options;
  }

  /** Whether this child coming up is what the sequence waits for. */
  isWaitingFor(child: Child): boolean {
    return !this.#isAdvancing && this.#hasBegun && this.#children[this.#next] === child;
  }

  /** Goes on as far as it can. Called again whenever a child has come up, failed or been removed. */
  advance(): SequenceState {
    this.#isAdvancing = true;
    try {
      return this.#advance();
    } finally {
      this.#isAdvancing = false;
    }
  }

  #advance(): SequenceState {
    for (let started = 0; started < maxStartsPerTurn; ) {
      const child = this.#children[this.#next];
      if (child === undefined) return 'done';
      if (this.#options.isWanted(child)) {
        if (child.phase === 'down' && !this.#hasBegun) {
          this.#hasBegun = true;
          started += 1;
          child.begin();
        }
        if (child.phase === 'starting') return 'waiting';
        if (child.phase === 'down' && !this.#options.skipsFailed && this.#options.isWanted(child))
          return 'waiting';
      }
      this.#next += 1;
      this.#hasBegun = false;
    }
    return 'pausing';
  }
}
