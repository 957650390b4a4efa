// The program mon-backend: commands, settings, exit codes.
import { Command } from 'commander';
import { givenFlags, startCommand } from '../program/command-line.ts';
import { createLog, errorText, type LogLevel } from '../program/log.ts';
import { readTextFile, resolveSettings } from '../program/resolve.ts';
import { version } from '../program/version.ts';
import { type BackendSettings, backendProgram as program } from './backend-flags.ts';
import { backendDoctorCommand } from './doctor/backend-doctor-command.ts';
import { licenseCommand } from './license-command.ts';
import { backupCommand, restoreCommand } from './maintenance/backup-command.ts';
import { checkStoreCommand } from './maintenance/check-store-command.ts';
import { maintenanceCommand } from './maintenance/maintenance-command.ts';
import { upgradeCommand } from './maintenance/upgrade-command.ts';

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

/** Runs a command; an error is one line on stderr and exit code 1. */
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
  ]).action(() =>
    exitWith(async () => {
      const { startBackend } = await import('./backend-start.ts');
      return startBackend(settingsOf(start));
    }),
  );
  const init = maintenanceCommand({
    name: 'init',
    description:
      'create the first user, roles and namespace in an empty store; exits 3 if that was done before',
    examples: ['mon-backend init --cluster-admin-username ada --cluster-admin-password <password>'],
    flags: ['cluster-admin-username', 'cluster-admin-password', 'agent-user-password', 'log-level'],
  }).action(() =>
    exitWith(async () => {
      const { initialise } = await import('./initialise.ts');
      return initialise(settingsOf(init));
    }),
  );
  const command = new Command('mon-backend')
    .description('The mon backend: stores entities and events, monitors keepalives, runs handlers.')
    .addCommand(start)
    .addCommand(init)
    .addCommand(backupCommand(exitWith))
    .addCommand(restoreCommand(exitWith))
    .addCommand(upgradeCommand(exitWith))
    .addCommand(checkStoreCommand(exitWith))
    .addCommand(backendDoctorCommand())
    .addCommand(licenseCommand(exitWith))
    .addCommand(
      new Command('version')
        .description('print the version')
        .action(() => console.log(`mon-backend version ${version}`)),
    );
  await command.parseAsync([...argv]);
};
