// The first user of an empty store: named by flags or environment, or made up, with its password in a file only its owner
// reads. The file is written before the user: a crash in between leaves nobody locked out.
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ResourceTable } from '../actors/resources/resource-table.ts';
import { isSeeded, seedIfEmpty } from '../actors/resources/seed.ts';
import type { HashingQueue } from '../http/auth/hashing-queue.ts';
import type { Logger } from '../program/log.ts';
import type { BackendSettings } from './backend-flags.ts';

const passwordFile = 'initial-admin-password';
const passwordBytes = 18;

export interface FirstUser {
  readonly settings: BackendSettings;
  readonly table: ResourceTable;
  readonly hashing: HashingQueue;
  readonly log: Logger;
}

/** Seeds an empty store. Resolves false when that was done before. */
export const firstUser = async ({ settings, table, hashing, log }: FirstUser): Promise<boolean> => {
  if (isSeeded(table)) return false;
  const adminUsername = settings.clusterAdminUsername;
  const adminPassword =
    settings.clusterAdminPassword || (await makePassword(settings.stateDir, adminUsername, log));
  await seedIfEmpty(table, { adminUsername, adminPassword, hash: (password) => hashing.hash(password) });
  log.info({ user: adminUsername }, 'the store was empty: namespace, roles and users were made');
  return true;
};

const makePassword = async (stateDir: string, user: string, log: Logger): Promise<string> => {
  const password = randomBytes(passwordBytes).toString('base64url');
  const file = join(stateDir, passwordFile);
  await mkdir(stateDir, { recursive: true });
  await writeFile(file, `${password}\n`, { mode: 0o600 });
  log.warn({ user, file }, `a password was made up for ${user}; read it in the file, then change it`);
  return password;
};
