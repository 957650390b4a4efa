// What the scripts that write documentation from the code share.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Text for a cell of a table. */
export const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

const read = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
};

/**
 * Writes a page of docs/. With `--check` it only compares, and the process exits with 1 if the page is not what the
 * code says.
 */
export const writeDoc = (path, text, script) => {
  const file = join(root, 'docs', path);
  if (!process.argv.includes('--check')) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  } else if (read(file) !== text) {
    console.error(`docs/${path} is not what the code says: run \`npm run build && node scripts/${script}\``);
    process.exitCode = 1;
  }
};
