// Runs a command of a program to its end, as a person would.
import { once } from 'node:events';
import { type LogLine, startProgram } from '../acceptance/programs.ts';

export interface Ended {
  readonly code: number | null;
  /** All it printed, on both streams. */
  readonly text: string;
}

const textOf = (line: LogLine): string => ('msg' in line ? String(line.msg) : JSON.stringify(line));

export const runCommand = async (
  name: 'mon-backend' | 'mon-agent',
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Ended> => {
  const program = startProgram(name, args, env);
  // Not only ended: all it printed was read.
  const [code] = await once(program.process, 'close');
  return { code, text: program.lines.map(textOf).join('\n') };
};
