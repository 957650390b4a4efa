// Authorities: further certificates a program trusts, from a file its operator names. Read anew at each use, so that a file
// that was replaced needs no restart.
import { readFileSync } from 'node:fs';
import { errorText } from './log.ts';

/** What the file of trusted authorities holds (PEM). Throws with a sentence that names the file. */
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
