// Additional certificate authorities from a file. Read at each use, so that a replaced file needs no restart.
import { readFileSync } from 'node:fs';
import { errorText } from './log.ts';

/** The content of the file (PEM). Throws an error that names the file. */
export const readAuthorities = (path: string): string => {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`Error reading CA file: ${errorText(error)}`);
  }
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new Error(`No certificates could be parsed out of ${path}`);
};
