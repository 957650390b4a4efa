// Resources written to a file.
import { open, rename, rm } from 'node:fs/promises';
import { CtlError } from '../failure.ts';

export type Write = (text: string) => Promise<void>;

/** The file is there whole, or not at all. Only its user reads it: definitions may hold secrets. */
export const toPrivateFile = async (path: string, work: (write: Write) => Promise<void>): Promise<void> => {
  const next = `${path}.${process.pid}.new`;
  try {
    const handle = await open(next, 'w', 0o600);
    try {
      await work(async (text) => void (await handle.write(text)));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error instanceof CtlError
      ? error
      : new CtlError(`unable to write ${path}: ${(error as Error).message}`);
  }
};
