// `mon-backend doctor`: flags and output. The checks are loaded on demand.
import type { Command } from 'commander';
import { settingsCommand } from '../../program/command-line.ts';
import { resolveSettings } from '../../program/resolve.ts';
import { backendFlags, backendProgram } from '../backend-flags.ts';
import { exitWith, flagsLike, formatOf, formatOption, sources, warnAll } from './doctor-command.ts';
import { report } from './finding.ts';

/** The flags whose values are checked. */
const backendDoctorFlags = flagsLike(
  backendFlags,
  /^(agent-(auth|host|port)|api-(listen|url)|cache-dir|cert-file|config-file|encryption|key-file|earlier-(api|brokers)|state-dir|store-url|trusted)/,
);

export const backendDoctorCommand = (): Command => {
  const command: Command = settingsCommand(backendProgram, {
    name: 'doctor',
    description:
      'look for what keeps a backend with these settings from working: ports, folders, disk, certificates, store, providers, brokers; exits 1 when something fails',
    examples: ['mon-backend doctor', 'mon-backend doctor --config-file ./backend.yml --format json'],
    flags: backendDoctorFlags,
  })
    .addOption(formatOption())
    .action(() =>
      exitWith('mon-backend', async () => {
        const { examineBackend } = await import('./backend-doctor.ts');
        const { settings, warnings } = resolveSettings(backendProgram, sources(command));
        warnAll(warnings);
        return report(await examineBackend(settings), formatOf(command));
      }),
    );
  return command;
};
