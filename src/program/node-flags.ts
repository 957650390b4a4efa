// The Node flags of our programs are in the shebang line of their files. Code that starts a program through
// `process.execPath` (the quick start, tests, benches) reads them here, so that all run with the same flags.
import { readFileSync } from 'node:fs';

/** `#!/usr/bin/env -S node --a --b` gives `['--a', '--b']`; a file without a shebang gives none. */
export const nodeFlagsOf = (programFile: string): readonly string[] => {
  const [first = ''] = readFileSync(programFile, 'utf8').split('\n', 1);
  return first.startsWith('#!') ? first.split(/\s+/).filter((word) => word.startsWith('--')) : [];
};
