// `mon-agent doctor`: flags and output. The checks are loaded on demand, since a running agent does not need them.
import type { Command } from 'commander';
import { resolveConfig } from '../../agent/config.ts';
import { agentFlags, agentProgram } from '../../agent/flags.ts';
import { settingsCommand } from '../../program/command-line.ts';
import { exitWith, flagsLike, formatOf, formatOption, sources, warnAll } from './doctor-command.ts';
import { report } from './finding.ts';

/** The flags whose values are checked. */
const agentDoctorFlags = flagsLike(
  agentFlags,
  /^(api-|backend-url|cache-dir|cert-file|config-file|disable-(api|sockets)|insecure|key-file|name|password|socket-|statsd-(disable|metrics)|trusted|user)/,
);

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
