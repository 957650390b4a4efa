// `mon-backend doctor` and `mon-agent doctor`: flags and output. The checks are loaded on demand, since an agent does not need
// them.
import { type Command, Option } from 'commander';
import { resolveConfig } from '../../agent/config.ts';
import { agentFlags, agentProgram } from '../../agent/flags.ts';
import { givenFlags, settingsCommand } from '../../program/command-line.ts';
import { errorText } from '../../program/log.ts';
import { readTextFile, resolveSettings } from '../../program/resolve.ts';
import { backendFlags, backendProgram } from '../backend-flags.ts';
import { type ReportFormat, report } from './finding.ts';

const flagsLike = (flags: object, pattern: RegExp): readonly string[] =>
  Object.keys(flags).filter((flag) => pattern.test(flag));

/** The flags whose values are checked. */
const backendDoctorFlags = flagsLike(
  backendFlags,
  /^(agent-(auth|host|port)|api-(listen|url)|cache-dir|cert-file|config-file|encryption|key-file|earlier-(api|brokers)|state-dir|store-url|trusted)/,
);
const agentDoctorFlags = flagsLike(
  agentFlags,
  /^(api-|backend-url|cache-dir|cert-file|config-file|disable-(api|sockets)|insecure|key-file|name|password|socket-|statsd-(disable|metrics)|trusted|user)/,
);

const formatOption = (): Option =>
  new Option('--format <format>', 'one line a finding, or JSON').choices(['text', 'json']).default('text');

const formatOf = (command: Command): ReportFormat => command.getOptionValue('format') as ReportFormat;

const sources = (command: Command) => ({
  flags: givenFlags(command),
  environment: process.env,
  readFile: readTextFile,
});

/** Invalid settings are reported as the only finding. */
const exitWith = async (program: string, run: () => Promise<number>): Promise<void> => {
  try {
    process.exit(await run());
  } catch (error) {
    console.error(`${program}: ${errorText(error)}`);
    process.exit(1);
  }
};

const warnAll = (warnings: readonly string[]): void => {
  for (const warning of warnings) console.error(`warning: ${warning}`);
};

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

export const agentDoctorCommand = (): Command => {
  const command: Command = settingsCommand(agentProgram, {
    name: 'doctor',
    description:
      'look for what keeps an agent with these settings from working: ports, folders, disk, certificates, backends, clock; exits 1 when something fails',
    examples: ['mon-agent doctor', 'mon-agent doctor -c /etc/mon/agent.yml --format json'],
    flags: agentDoctorFlags,
  })
    .addOption(formatOption())
    .action(() =>
      exitWith('mon-agent', async () => {
        const { examineAgent } = await import('./agent-doctor.ts');
        const { config, warnings } = resolveConfig(sources(command));
        warnAll(warnings);
        return report(await examineAgent(config), formatOf(command));
      }),
    );
  return command;
};
