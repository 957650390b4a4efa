// Shared by the maintenance commands: flags, settings, and the choice between asking the backend that serves the store and
// opening the store directly.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { givenFlags, settingsCommand } from '../../program/command-line.ts';
import { readTextFile, resolveSettings } from '../../program/resolve.ts';
import type { OpenPurpose } from '../../store/format-marker.ts';
import type { MaintainedStore } from '../../store/maintained-store.ts';
import { embeddedDir, openStore } from '../../store/open-store.ts';
import { StoreError } from '../../store/snapshot-store.ts';
import { type BackendSettings, backendProgram } from '../backend-flags.ts';
import { createTrust } from '../trust.ts';
import { type BackendStatus, reachControl } from './control-client.ts';
import { storeIdentity } from './store-identity.ts';

export type ExitWith = (command: () => Promise<number>) => Promise<void>;

/** Flags that select the store. */
const storeFlags = ['config-file', 'state-dir', 'store-url', 'trusted-ca-file', 'encryption-key-file'];

export interface CareCommand {
  readonly name: string;
  readonly description: string;
  readonly examples: readonly string[];
  /** Flags of `start` other than those that select the store. */
  readonly flags?: readonly string[];
}

export const maintenanceCommand = ({ flags = [], ...command }: CareCommand): Command =>
  settingsCommand(backendProgram, { ...command, flags: [...storeFlags, ...flags] });

export const maintenanceSettings = (command: Command): BackendSettings => {
  const { settings, warnings } = resolveSettings(backendProgram, {
    flags: givenFlags(command),
    environment: process.env,
    readFile: readTextFile,
  });
  for (const warning of warnings) console.error(`warning: ${warning}`);
  return settings;
};

/** The backend that serves from this store; undefined when none runs here. */
export const runningBackend = async (settings: BackendSettings): Promise<BackendStatus | undefined> => {
  const status = await reachControl(settings.stateDir);
  return status?.identity === storeIdentity(settings) ? status : undefined;
};

/** Throws if there is no store: reading must not create one. */
const requireStore = (settings: BackendSettings): void => {
  const dir = embeddedDir(settings.storeUrl, settings.stateDir);
  if (dir !== undefined && !existsSync(join(dir, 'data.mdb')))
    throw new StoreError(
      'invalid',
      `there is no store in ${dir}; name its state directory with --state-dir, or the database with --store-url`,
    );
};

/** Adds to an error about a running owner how to reach that backend instead. */
const withHint = (error: unknown): unknown =>
  error instanceof StoreError && error.message.includes('another backend')
    ? new StoreError(
        error.code,
        `${error.message}. To use this command while it serves, run it on its machine, with its --state-dir, once it has started`,
        { cause: error },
      )
    : error;

/** Owns the store while `work` runs, so that no backend can serve from it. */
export const withStore = async <T>(
  settings: BackendSettings,
  purpose: OpenPurpose,
  work: (store: MaintainedStore) => Promise<T>,
): Promise<T> => {
  if (purpose !== 'restore') requireStore(settings);
  const store = await openStore({
    url: settings.storeUrl,
    stateDir: settings.stateDir,
    authorities: createTrust(settings.trustedCaFile).authorities,
    purpose,
    onOwnershipLost: (error) => {
      console.error(`mon-backend: ${error.message}`);
      process.exit(1);
    },
  }).catch((error: unknown) => {
    throw withHint(error);
  });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
};
