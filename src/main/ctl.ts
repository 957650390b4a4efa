// mon-ctl: the command line program. Passes the process streams to src/ctl and exits with its status.

export const main = async (argv: readonly string[]): Promise<void> => {
  // A closed pipe, as with `head`, is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  const words = argv.slice(2);
  if (words.length === 1 && (words[0] === 'version' || words[0] === '--version')) {
    // Scripts ask this often, and it needs neither the parser nor the configuration.
    const { versionLine } = await import('../ctl/commands/version.ts');
    process.stdout.write(`${versionLine()}\n`);
    return;
  }
  const [{ commandTree }, { runCommandLine }] = await Promise.all([
    import('../ctl/tree/command-tree.ts'),
    import('../ctl/parser.ts'),
  ]);
  process.exitCode = await runCommandLine(commandTree, words, {
    in: process.stdin,
    out: process.stdout,
    err: process.stderr,
    env: process.env,
  });
};
