// The version of this program, from package.json.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packagedVersion } from './packaged.ts';

const find = (directory: string): string => {
  try {
    const found: unknown = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
    if (typeof found === 'object' && found !== null && 'version' in found) return String(found.version);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const parent = dirname(directory);
  return parent === directory ? 'unknown' : find(parent);
};

export const version = packagedVersion() ?? find(dirname(fileURLToPath(import.meta.url)));
