// A directory for an LMDB store of a test, and hands that reach into it from outside.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, open } from 'lmdb';

export const temporaryDir = (): string => mkdtempSync(join(tmpdir(), 'mon-store-'));

export const removeDir = (dir: string): void => rmSync(dir, { recursive: true, force: true });

type Bytes = Buffer | undefined;

/** Rewrites the stored bytes of one record, keeping its revision unless told otherwise. */
export async function tamper(
  dir: string,
  key: string,
  change: (bytes: Buffer) => Buffer,
  rev?: number,
): Promise<void> {
  await inTable(dir, 'check', true, async (table) => {
    const entry = table.getEntry(key);
    await table.put(key, change(Buffer.from(entry?.value ?? Buffer.alloc(0))), rev ?? entry?.version ?? 1);
  });
}

export async function quarantinedBytes(dir: string, key: string): Promise<Bytes> {
  let found: Bytes;
  await inTable(dir, 'quarantine', false, async (table) => {
    for (const item of table.getRange())
      if (item.key.startsWith(`check/${key}@`)) found = Buffer.from(item.value);
  });
  return found;
}

/** Puts another format marker in the place of the one that is there. */
export async function changeMarker(dir: string, marker: string): Promise<void> {
  const root = openRaw(dir);
  await root.put('format', Buffer.from(marker));
  await root.close();
}

const openRaw = (dir: string) =>
  open<Buffer, string>({
    path: dir,
    noSubdir: false,
    encoding: 'binary',
    overlappingSync: false,
    maxDbs: 16,
  });

async function inTable(
  dir: string,
  name: string,
  useVersions: boolean,
  work: (table: Database<Buffer, string>) => Promise<void>,
): Promise<void> {
  const root = openRaw(dir);
  try {
    await work(root.openDB<Buffer, string>({ name, encoding: 'binary', useVersions }));
  } finally {
    await root.close();
  }
}
