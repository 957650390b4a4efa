// Ordered, awaited shutdown: children are halted in reverse order of start, each within its own time.

import type { Deadline, Deadlines } from '../time/deadlines.ts';
import type { Child } from './child.ts';

export interface HaltOptions {
  readonly keepMail: boolean;
  /** All at once, for many unrelated children; otherwise each waits for the one after it to be down. */
  readonly parallel: boolean;
  readonly deadlines: Deadlines;
}

/** Halts one child; a child that misses its time is abandoned (and names itself in the log). */
export const haltChild = (
  child: Child,
  { keepMail, deadlines }: Pick<HaltOptions, 'keepMail' | 'deadlines'>,
  done: () => void,
): void => {
  let timer: Deadline | undefined;
  let over = false;
  child.halt(keepMail, () => {
    over = true;
    if (timer !== undefined) deadlines.disarm(timer);
    done();
  });
  if (over || !Number.isFinite(child.shutdownMs)) return;
  timer = deadlines.after(child.shutdownMs, () => child.abandon(child.shutdownMs));
};

/** `children` in order of start. Calls back at once when nothing has to be awaited. */
export const haltInOrder = (children: readonly Child[], options: HaltOptions, done: () => void): void => {
  if (options.parallel) haltAtOnce(children, options, done);
  else haltOneByOne(children, options, done);
};

const haltAtOnce = (children: readonly Child[], options: HaltOptions, done: () => void): void => {
  let waiting = children.length + 1;
  const one = (): void => {
    waiting -= 1;
    if (waiting === 0) done();
  };
  for (let index = children.length - 1; index >= 0; index -= 1)
    haltChild(children[index] as Child, options, one);
  one();
};

const haltOneByOne = (children: readonly Child[], options: HaltOptions, done: () => void): void => {
  let index = children.length - 1;
  // A loop, not a recursion: thousands of children that halt at once must not stack up.
  const next = (): void => {
    for (; index >= 0; ) {
      const child = children[index] as Child;
      index -= 1;
      let halted = false;
      let inLoop = true;
      haltChild(child, options, () => {
        halted = true;
        if (!inLoop) next();
      });
      inLoop = false;
      if (!halted) return;
    }
    done();
  };
  next();
};
