// Limits concurrent commands: a fixed number of slots and a bounded queue.
import { type Command, type CommandResult, execute, type RunningCommand } from './executor.ts';
import { maxWaitingCommands } from './limits.ts';

export interface CommandSlots {
  /** Null if the queue is full; the command did not run. */
  run(command: Command): Promise<CommandResult> | null;
  /** Kills running commands and clears the queue. */
  killAll(): void;
}

export const createCommandSlots = (limit: number): CommandSlots => {
  const running = new Set<RunningCommand>();
  const waiting: (() => void)[] = [];
  const start = async (command: Command): Promise<CommandResult> => {
    const one = execute(command);
    running.add(one);
    const result = await one.result;
    running.delete(one);
    waiting.shift()?.();
    return result;
  };
  return {
    run: (command) => {
      if (running.size < limit) return start(command);
      if (waiting.length >= maxWaitingCommands) return null;
      return new Promise((resolve) => waiting.push(() => resolve(start(command))));
    },
    killAll: () => {
      waiting.length = 0;
      for (const one of running) one.kill();
    },
  };
};
