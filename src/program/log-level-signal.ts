// SIGUSR1 raises the log level of a running program by one step. Without a listener Node would open its debugger instead.
import { type Logger, levelWord, nextLevel, setLevel } from './log.ts';

/** `root` and all its components change their level; `log` reports it. */
export const stepLevelOnSignal = (root: Logger, log: Logger): void => {
  process.on('SIGUSR1', () => {
    const level = nextLevel(root.level);
    setLevel(root, level);
    log.warn(`set log level to ${levelWord(level)}`);
  });
};
