// mon-agent: the agent program. Reads its settings, starts the agent, and handles signals.
import { Command } from 'commander';
import type { Agent } from '../agent/agent.ts';
import { type Configured, resolveConfig } from '../agent/config.ts';
import { type AgentConfig, agentProgram } from '../agent/flags.ts';
import { givenFlags, startCommand } from '../program/command-line.ts';
import { component, createLog, errorText, type Logger, type LogLevel } from '../program/log.ts';
import { stepLevelOnSignal } from '../program/log-level-signal.ts';
import { stopWithParent } from '../program/parent-watch.ts';
import { type GivenFlags, readTextFile, SettingsError } from '../program/resolve.ts';
import { openServiceManager, type ServiceManager } from '../program/service-manager.ts';
import { version } from '../program/version.ts';
import { agentDoctorCommand } from './doctor/agent-doctor-command.ts';

const stopOnSignal = (agent: Agent, manager: ServiceManager, log: Logger): Promise<void> =>
  new Promise((resolve) => {
    let stopping = false;
    const stop = (word: string) => () => {
      if (stopping) return;
      stopping = true;
      log.warn(`signal "${word}" received, shutting down agent`);
      manager.stopping();
      // Exits after a second and a half, even if something hangs.
      const deadline = setTimeout(() => {
        log.error('agent did not shut down gracefully');
        process.exit(0);
      }, 1_500);
      void agent.stop().then(() => {
        clearTimeout(deadline);
        resolve();
      });
    };
    process.on('SIGINT', stop('interrupt'));
    process.on('SIGTERM', stop('terminated'));
    stopWithParent();
  });

/** Logs an uncaught internal error and exits; the service manager restarts the agent. */
const dieOnFault = (log: Logger): void => {
  const die = (error: unknown) => {
    log.fatal(
      { error: errorText(error), stack: error instanceof Error ? error.stack : undefined },
      'agent fault',
    );
    process.exit(70);
  };
  process.on('uncaughtException', die);
  process.on('unhandledRejection', die);
};

const refuse = (error: unknown): never => {
  const log = component(createLog('fatal'), 'agent');
  log.fatal({ error: errorText(error) }, 'error executing mon-agent');
  process.exit(1);
};

const configure = (flags: GivenFlags): Configured => {
  try {
    return resolveConfig({ flags, environment: process.env, readFile: readTextFile });
  } catch (error) {
    if (error instanceof SettingsError) return refuse(error);
    throw error;
  }
};

/** Loads the agent only now: `--help` and `version` need none of it. */
const prepare = async (config: AgentConfig, log: Logger): Promise<Agent> => {
  const { createAgent } = await import('../agent/agent.ts');
  try {
    return createAgent(config, { log });
  } catch (error) {
    return refuse(error);
  }
};

const run = async (flags: GivenFlags): Promise<void> => {
  const { config, warnings } = configure(flags);
  const root = createLog(config.logLevel as LogLevel);
  const log = component(root, 'cmd');
  for (const warning of warnings) log.warn(warning);
  dieOnFault(log);
  const manager = openServiceManager(process.env, log);
  const agent = await prepare(config, root);
  stepLevelOnSignal(root, log);
  const stopped = stopOnSignal(agent, manager, log);
  try {
    await agent.start();
  } catch (error) {
    refuse(error);
  }
  manager.ready();
  await stopped;
  process.exit(0);
};

const program = (): Command => {
  const start = startCommand(agentProgram, 'start the agent', [
    'mon-agent start --backend-url ws://mon.example.com:8081 --subscriptions linux,web --labels region=us',
    'MON_KEEPALIVE_INTERVAL=30 mon-agent start -c /etc/mon/agent.yml --log-level info',
  ])
    .addHelpText(
      'after',
      `
Proxies: HTTP_PROXY (ws://, http://), HTTPS_PROXY (wss://, https://) and NO_PROXY apply to backends and assets.
Signals: SIGTERM and SIGINT stop the agent; SIGUSR1 raises the log level by one step.`,
    )
    .action(() => run(givenFlags(start)));
  return new Command('mon-agent')
    .description('Runs checks on this machine and reports to a mon backend.')
    .helpCommand('help [command]', 'show help, of a command if given')
    .addCommand(start)
    .addCommand(agentDoctorCommand())
    .addCommand(
      new Command('version')
        .description('show the version')
        .action(() => console.log(`mon-agent version ${version}`)),
    );
};

export const main = async (argv: string[]): Promise<void> => {
  const command = program();
  if (argv.length <= 2) command.outputHelp();
  else await command.parseAsync(argv);
};
