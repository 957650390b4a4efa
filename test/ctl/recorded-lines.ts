// The command lines of a recorded session, with their standard input.
import { join } from 'node:path';

export const recordedFolder = join('test', 'ctl', 'recorded');

interface Line {
  readonly command: string;
  readonly input: readonly string[];
}

export const linesOf = (recorded: string): readonly Line[] => {
  const found: { command: string; input: string[] }[] = [];
  let mayBeInput = false;
  for (const line of recorded.split('\n')) {
    const isInput: boolean = mayBeInput && line.startsWith('< ');
    if (isInput) found.at(-1)?.input.push(line.slice(2));
    else if (line.startsWith('$ mon-ctl ')) found.push({ command: line, input: [] });
    mayBeInput = isInput || line.startsWith('$ mon-ctl ');
  }
  return found;
};
