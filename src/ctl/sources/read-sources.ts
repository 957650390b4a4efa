// Where resources are read from: files, folders, URLs and standard input.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sendRequest } from '../client/http-request.ts';
import { transportOf } from '../client/tokens.ts';
import { CtlError } from '../failure.ts';
import { maxSourceBytes } from '../limits.ts';
import type { Session } from '../session.ts';
import { readStandardInput } from './standard-input.ts';

export interface Source {
  /** As it is named in errors. */
  readonly name: string;
  readonly text: string;
}

const isResourceFile = (name: string): boolean => /\.(ya?ml|json)$/i.test(name);

const readOne = async (path: string): Promise<Source> => {
  try {
    const { size } = await stat(path);
    if (size > maxSourceBytes) throw new CtlError(`${path} is larger than ${maxSourceBytes} bytes`);
    return { name: path, text: await readFile(path, 'utf8') };
  } catch (error) {
    if (error instanceof CtlError) throw error;
    throw new CtlError(`unable to read ${path}: ${(error as Error).message}`);
  }
};

/** Files of a folder in the order of their names; folders in it with `recursive` only. */
const readFolder = async (path: string, recursive: boolean): Promise<Source[]> => {
  const found: Source[] = [];
  for (const name of (await readdir(path)).sort()) {
    const inside = join(path, name);
    // `stat` follows links, and does not go in circles: a link to a folder above ends in ELOOP or ENAMETOOLONG.
    const isFolder = (await stat(inside)).isDirectory();
    if (isFolder && recursive) found.push(...(await readFolder(inside, recursive)));
    else if (!isFolder && isResourceFile(name)) found.push(await readOne(inside));
  }
  return found;
};

const readUrl = async (session: Session, address: string): Promise<Source> => {
  const { status, text } = await sendRequest(
    { method: 'GET', url: new URL(address) },
    transportOf(session.settings, session.streams.env),
  );
  if (status >= 400) throw new CtlError(`${address} answered ${status}`);
  return { name: address, text };
};

const readNamed = async (session: Session, name: string, recursive: boolean): Promise<Source[]> => {
  if (name === '-') return [{ name: 'standard input', text: await readStandardInput(session) }];
  if (/^https?:\/\//.test(name)) return [await readUrl(session, name)];
  const found = await stat(name).catch((error: Error) => {
    throw new CtlError(`unable to read ${name}: ${error.message}`);
  });
  return found.isDirectory() ? readFolder(name, recursive) : [await readOne(name)];
};

/** Of every `-f` in turn; of standard input when there is none. */
export const readSources = async (session: Session): Promise<Source[]> => {
  const names = (session.given.file as string[] | undefined) ?? ['-'];
  const recursive = session.given.recursive === 'true';
  const found: Source[] = [];
  for (const name of names) found.push(...(await readNamed(session, name, recursive)));
  return found;
};
