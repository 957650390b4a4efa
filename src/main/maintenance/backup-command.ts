// `mon-backend backup FILE` and `mon-backend restore FILE`.
import { resolve } from 'node:path';
import { Argument, type Command } from 'commander';
import { type ExportItem, exportable } from '../../store/backup/consistent-export.ts';
import { restoreBackup, verifyBackup } from '../../store/backup/restore-backup.ts';
import { type BackupResult, refuseToReplace, writeBackup } from '../../store/backup/write-backup.ts';
import type { BackendSettings } from '../backend-flags.ts';
import { encryptionKeyNames, encryptionKeyPath } from '../encryption-keys.ts';
import { askControl } from './control-client.ts';
import {
  type ExitWith,
  maintenanceCommand,
  maintenanceSettings,
  runningBackend,
  withStore,
} from './maintenance-command.ts';
import { createProgress, shownBytes, shownCount } from './progress.ts';
import { storeName } from './store-identity.ts';

/** The backup is complete except for records that could not be read. */
const incompleteExitCode = 3;

const write = async (settings: BackendSettings, file: string): Promise<BackupResult> => {
  const progress = createProgress();
  const onProgress = (records: number, bytes: number): void =>
    progress.show(`${shownCount(records)} records, ${shownBytes(bytes)}`);
  try {
    const running = await runningBackend(settings);
    if (running !== undefined) {
      const items = askControl(settings.stateDir, '/v1/backup') as AsyncGenerator<ExportItem>;
      return await writeBackup(file, { store: running.store, marker: running, items }, onProgress);
    }
    return await withStore(settings, 'inspect', (store) =>
      writeBackup(
        file,
        { store: store.name, marker: store.marker, items: exportable(store).export() },
        onProgress,
      ),
    );
  } finally {
    progress.end();
  }
};

const backup = async (settings: BackendSettings, file: string, isForced: boolean): Promise<number> => {
  if (!isForced) refuseToReplace(file);
  const startedMs = performance.now();
  const { id, records, bytes, fileBytes, unreadable } = await write(settings, file);
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  console.log(
    `${resolve(file)}: ${shownCount(records)} records, ${shownBytes(bytes)} (${shownBytes(fileBytes)} as a file), backup ${id}, in ${seconds} s`,
  );
  console.log(
    `To restore it you also need the encryption key, which is not in it: keep a copy of ${encryptionKeyPath(settings)} in another place.`,
  );
  for (const { kind, key, fault } of unreadable) console.error(`not in the backup: ${kind} ${key}: ${fault}`);
  if (unreadable.length === 0) return 0;
  console.error(`${unreadable.length} records can't be read; mon-backend check-store tells more`);
  return incompleteExitCode;
};

/** A warning about encryption keys that the backup needs and that are missing here; undefined if none is. */
const missingKeys = (settings: BackendSettings, sealedWith: readonly string[]): string | undefined => {
  if (sealedWith.length === 0) return undefined;
  const path = encryptionKeyPath(settings);
  const here = encryptionKeyNames(path);
  const missing = sealedWith.filter((name) => !here.includes(name));
  if (missing.length === 0) return undefined;
  return (
    `The backup holds secrets that are sealed with the encryption key ${missing.join(', ')}, which is not in ${path}. ` +
    'Put a copy of the key file there before the backend starts.'
  );
};

const restore = async (settings: BackendSettings, file: string): Promise<number> => {
  const startedMs = performance.now();
  const progress = createProgress();
  const where = storeName(settings);
  const running = await runningBackend(settings);
  if (running !== undefined)
    throw new Error(
      `a backend (pid ${running.pid}) serves from ${where}: a backup is restored into an empty store, while no backend runs on it`,
    );
  try {
    const verified = await verifyBackup(file, (lines) =>
      progress.show(`checking: ${shownCount(lines)} lines`),
    );
    await withStore(settings, 'restore', (store) =>
      restoreBackup(store, verified, where, (records) =>
        progress.show(`restoring: ${shownCount(records)} of ${shownCount(verified.records)} records`),
      ),
    );
    progress.end();
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    const { header, records, unreadable } = verified;
    console.log(
      `${where}: ${shownCount(records)} records of the backup ${header.id} (of ${header.startedAt}, ${header.store}, mon-backend ${header.program}) restored in ${seconds} s`,
    );
    if (unreadable.length > 0)
      console.error(
        `${unreadable.length} records could not be read when the backup was made, and are not there`,
      );
    const advice = missingKeys(settings, verified.sealedWith);
    if (advice !== undefined) console.error(advice);
    return 0;
  } finally {
    progress.end();
  }
};

export const backupCommand = (exitWith: ExitWith): Command => {
  const command: Command = maintenanceCommand({
    name: 'backup',
    description:
      'write everything in the store to one file, also while the backend serves from it; exits 3 when records could not be read',
    examples: [
      'mon-backend backup /backups/mon-2026-07-14.backup',
      'mon-backend backup --store-url mongodb://db-1/mon --state-dir ./state mon.backup',
    ],
  })
    .addArgument(new Argument('<file>', 'made new, for this user only'))
    .option('--force', 'replace the file when it is there already')
    .action((file: string) =>
      exitWith(() => backup(maintenanceSettings(command), file, command.getOptionValue('force') === true)),
    );
  return command;
};

export const restoreCommand = (exitWith: ExitWith): Command => {
  const command: Command = maintenanceCommand({
    name: 'restore',
    description: 'read a backup into an empty store of any kind, while no backend runs on it',
    examples: [
      'mon-backend restore --state-dir /var/lib/mon/mon-backend /backups/mon-2026-07-14.backup',
      'mon-backend restore --store-url mongodb://db-1,db-2,db-3/mon?replicaSet=mon mon.backup',
    ],
  })
    .addArgument(new Argument('<file>', 'as written by mon-backend backup'))
    .action((file: string) => exitWith(() => restore(maintenanceSettings(command), file)));
  return command;
};
