// The flags of Node a program of ours wants stand in the first line of its file, where a shell reads them. Whoever starts
// it by `process.execPath` instead (the quick start, tests, benches) reads them here, so that all run the same program.
import { readFileSync } from 'node:fs';

/** `#!/usr/bin/env -S node --a --b` gives `['--a', '--b']`; a file without such a line gives none. */
export const nodeFlagsOf = (programFile: string): readonly string[] => {
  const [first = ''] = readFileSync(programFile, 'utf8').split('\n', 1);
  return first.startsWith('#!') ? first.split(/\s+/).filter((word) => word.startsWith('--')) : [];
};
