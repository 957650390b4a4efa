// mon-ctl: the command line. Hands the streams of the process to src/ctl and ends with the status it answers.

import { runCommandLine } from '../ctl/parser.ts';
import { commandTree } from '../ctl/tree/command-tree.ts';

export const main = async (argv: readonly string[]): Promise<void> => {
  // A reader that has seen enough, as `head` does, is no fault.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  process.exitCode = await runCommandLine(commandTree, argv.slice(2), {
    in: process.stdin,
    out: process.stdout,
    err: process.stderr,
    env: process.env,
  });
};
