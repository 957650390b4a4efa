// Creates the first user of an empty store: configured by flags or environment, or with a random password in a file
// readable only by its owner. The file is written before the user, so that a crash in between does not lock anyone
// out.
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ResourceTable } from '../actors/resources/resource-table.ts';
import { isSeeded, seedIfEmpty } from '../actors/resources/seed.ts';
import type { HashingQueue } from '../http/auth/hashing-queue.ts';
import { passwordFault } from '../model/access/user.ts';
import { makeFolder } from '../program/folders.ts';
import type { Logger } from '../program/log.ts';
import { SettingsError } from '../program/resolve.ts';
import type { BackendSettings } from './backend-flags.ts';

export const passwordFile = 'initial-admin-password';
/** Too short to be a valid password. */
const noAgentUser = 'none';
const passwordBytes = 18;

export interface FirstUser {
  readonly settings: BackendSettings;
  readonly table: ResourceTable;
  readonly hashing: HashingQueue;
  readonly log: Logger;
}

/** The rule for all passwords; an empty one is replaced by a random one. */
const requireGoodPassword = (flag: string, password: string): void => {
  const fault = password === '' ? null : passwordFault(password);
  if (fault !== null) throw new SettingsError(`${flag}: ${fault}; nothing was created`);
};

/** The meaning of `--agent-user-password`: a password, no user, or the default. */
const passwordOfAgents = (setting: string): string | null | undefined => {
  if (setting === noAgentUser) return null;
  requireGoodPassword('--agent-user-password', setting);
  return setting === '' ? undefined : setting;
};

/** Seeds an empty store. Resolves to false if that was done before. */
export const firstUser = async ({ settings, table, hashing, log }: FirstUser): Promise<boolean> => {
  if (isSeeded(table)) return false;
  const adminUsername = settings.clusterAdminUsername;
  requireGoodPassword('--cluster-admin-password', settings.clusterAdminPassword);
  const agentPassword = passwordOfAgents(settings.agentUserPassword);
  const adminPassword =
    settings.clusterAdminPassword || (await makePassword(settings.stateDir, adminUsername, log));
  const isFirst = await seedIfEmpty(table, {
    adminUsername,
    adminPassword,
    ...(agentPassword === undefined ? {} : { agentPassword }),
    hash: (password) => hashing.hash(password),
  });
  if (!isFirst) {
    // Another backend of the cluster did it at the same moment: its password is the one that holds.
    if (settings.clusterAdminPassword === '')
      await rm(join(settings.stateDir, passwordFile), { force: true });
    log.warn('another backend of the cluster initialized the store and created the first user');
    return false;
  }
  log.info({ user: adminUsername }, 'initialized the empty store with namespace, roles and users');
  return true;
};

const makePassword = async (stateDir: string, user: string, log: Logger): Promise<string> => {
  const password = randomBytes(passwordBytes).toString('base64url');
  const file = join(stateDir, passwordFile);
  makeFolder(stateDir);
  await writeFile(file, `${password}\n`, { mode: 0o600 });
  log.warn({ user, file }, `created a random password for ${user}; read it in the file, then change it`);
  return password;
};
