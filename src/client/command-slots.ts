// How many commands run at once: a fixed number of slots, and a line of limited length in front of them.
import { type Command, type CommandResult, execute, type RunningCommand } from './executor.ts';
import { maxWaitingCommands } from './limits.ts';

export interface CommandSlots {
  /** Null: too many were waiting already, and nothing was run. */
  run(command: Command): Promise<CommandResult> | null;
  /** Ends what is running and forgets what is waiting. */
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
