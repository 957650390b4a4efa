// The program mon-backend: its commands, its settings, its exit codes.
import { Command } from 'commander';
import { GroupCommit } from '../actors/durable/group-commit.ts';
import { openResources } from '../actors/resources/open-resources.ts';
import { realClock } from '../actors/runtime/clock.ts';
import { createHashingQueue } from '../http/auth/hashing-queue.ts';
import { givenFlags, startCommand } from '../program/command-line.ts';
import { createLog, errorText, type LogLevel } from '../program/log.ts';
import { readTextFile, resolveSettings } from '../program/resolve.ts';
import { version } from '../program/version.ts';
import { openStore } from '../store/open-store.ts';
import { type BackendSettings, backendProgram as program } from './backend-flags.ts';
import { startBackend } from './backend-start.ts';
import { backupCommand, restoreCommand } from './care/backup-command.ts';
import { careCommand } from './care/care-command.ts';
import { encryptionKeyPath, encryptionKeys } from './encryption-keys.ts';
import { endWithoutStore } from './exit-codes.ts';
import { firstUser } from './first-user.ts';
import { licenseCommand } from './license-command.ts';
import { createTrust } from './trust.ts';

const alreadyInitialised = 3;

const settingsOf = (command: Command): BackendSettings => {
  const { settings, warnings } = resolveSettings(program, {
    flags: givenFlags(command),
    environment: process.env,
    readFile: readTextFile,
  });
  const log = createLog(settings.logLevel as LogLevel);
  for (const warning of warnings) log.warn(warning);
  return settings;
};

/** Does by hand what the first start does by itself. Resolves with the exit code. */
const initialise = async (settings: BackendSettings): Promise<number> => {
  const log = createLog(settings.logLevel as LogLevel);
  const { authorities } = createTrust(settings.trustedCaFile);
  const store = await openStore({
    url: settings.storeUrl,
    stateDir: settings.stateDir,
    authorities,
    onOwnershipLost: (error) => endWithoutStore(error, log),
  });
  const committer = new GroupCommit({
    store,
    clock: realClock,
    onFault: (error) => log.error({ err: error }, 'a write to the store failed'),
  });
  try {
    const { table } = await openResources({
      committer,
      encryptionKeys: encryptionKeys(encryptionKeyPath(settings), log),
    });
    const done = await firstUser({ settings, table, hashing: createHashingQueue(), log });
    if (!done) console.error('this store was initialised before; nothing was changed');
    return done ? 0 : alreadyInitialised;
  } finally {
    await committer.close();
    await store.close();
  }
};

/** Runs a command; what stops it from running is one line on standard error and exit code 1. */
const exitWith = async (command: () => Promise<number>): Promise<void> => {
  try {
    process.exit(await command());
  } catch (error) {
    console.error(`mon-backend: ${errorText(error)}`);
    process.exit(1);
  }
};

export const main = async (argv: readonly string[]): Promise<void> => {
  const start = startCommand(program, 'run the backend', [
    'mon-backend start --state-dir ./state',
    'mon-backend start --store-url mongodb://db-1,db-2,db-3/mon?replicaSet=mon',
    'MON_BACKEND_LOG_LEVEL=info mon-backend start --config-file ./backend.yml',
  ]).action(() => exitWith(() => startBackend(settingsOf(start))));
  const init = careCommand({
    name: 'init',
    description:
      'make the first user, roles and namespace of an empty store; exits 3 when that was done before',
    examples: ['mon-backend init --cluster-admin-username ada --cluster-admin-password <password>'],
    flags: ['cluster-admin-username', 'cluster-admin-password', 'agent-user-password', 'log-level'],
  }).action(() => exitWith(() => initialise(settingsOf(init))));
  const command = new Command('mon-backend')
    .description('The backend of mon: keeps entities and events, notices silence, tells people.')
    .addCommand(start)
    .addCommand(init)
    .addCommand(backupCommand(exitWith))
    .addCommand(restoreCommand(exitWith))
    .addCommand(licenseCommand(exitWith))
    .addCommand(
      new Command('version')
        .description('print the version')
        .action(() => console.log(`mon-backend version ${version}`)),
    );
  await command.parseAsync([...argv]);
};
