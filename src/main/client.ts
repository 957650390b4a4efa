// mon-client: the client of the earlier generation. A drop-in replacement, with the command line of the reference
// product; the implementation is in src/client.
import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Command, Option } from 'commander';
import { createClient } from '../client/client.ts';
import { printConfig, validateConfig } from '../client/configuration-commands.ts';
import { type ClientLog, createClientLog, isLevel, type Level } from '../client/log.ts';
import { type ClientOptions, exitCodes } from '../client/options.ts';
import { type Loaded, loadSettings } from '../client/settings/load.ts';
import { firstAddress, realFiles } from '../client/settings/read-files.ts';
import { realTimers } from '../client/timers.ts';
import { chooseTransport } from '../client/transports.ts';
import { redact } from '../model/earlier/redaction.ts';
import { errorText } from '../program/log.ts';
import { version } from '../program/version.ts';

interface Chosen extends ClientOptions {
  readonly mode: 'start' | 'validate' | 'print';
  readonly background: boolean;
}

const readLevel = (word: string): Level => {
  if (isLevel(word)) return word;
  console.error(`Unknown log level: ${word}`);
  process.exit(exitCodes.badOption);
};

const readOptions = (argv: readonly string[]): Chosen => {
  // `-v` and `-L` share one value, so the last one wins.
  let logLevel: Level = 'info';
  const command = new Command('mon-client')
    .description(
      'Runs checks on this machine for a monitoring server of the earlier generation, or for a mon backend.',
    )
    .version(version, '-V, --version', 'print the version')
    .allowExcessArguments(false)
    .option('-c, --config <file>', 'JSON configuration file; default /etc/mon/config.json, if it exists')
    .option(
      '-d, --config_dir <dir[,dir]>',
      'directories with JSON configuration files; default /etc/mon/conf.d, if it exists',
    )
    .option('--validate_config', 'validate the configuration and exit')
    .option('-P, --print_config', 'print the merged configuration and exit')
    .addOption(new Option('-e, --extension_dir <dir>', 'accepted and ignored: extensions are not supported'))
    .option('-l, --log <file>', 'append the log to this file; default: standard output')
    .addOption(
      new Option('-L, --log_level <level>', 'debug, info, warn, error or fatal; default info').argParser(
        (word) => (logLevel = readLevel(word)),
      ),
    )
    .addOption(new Option('-v, --verbose', 'same as --log_level debug'))
    .option('-b, --background', 'run in the background')
    .option('-p, --pid_file <file>', 'write the process id to this file');
  command.on('option:verbose', () => {
    logLevel = 'debug';
  });
  command.parse([...argv]);
  const given = command.opts<Record<string, string | boolean | undefined>>();
  const text = (name: string): string | undefined =>
    typeof given[name] === 'string' ? given[name] : undefined;
  return {
    configFile: text('config'),
    configDirs: text('config_dir')?.split(','),
    logFile: text('log'),
    pidFile: text('pid_file'),
    logLevel,
    background: given['background'] === true,
    mode: given['validate_config'] === true ? 'validate' : given['print_config'] === true ? 'print' : 'start',
  };
};

const load = ({ configFile, configDirs }: ClientOptions): Loaded =>
  loadSettings({
    environment: process.env,
    configFile,
    configDirs,
    hostname: hostname(),
    address: firstAddress(),
    files: realFiles,
  });

/** Logs every reason why the client does not start, and then the message that existing tools look for. */
const refuse = (
  log: ClientLog,
  reasons: readonly { readonly message: string; readonly data: object }[],
): never => {
  for (const { message, data } of reasons) log.fatal(message, data);
  log.fatal('MON NOT RUNNING!');
  process.exit(exitCodes.badConfiguration);
};

const writePid = (path: string, log: ClientLog): void => {
  try {
    writeFileSync(path, `${process.pid}\n`);
  } catch (error) {
    const data = { pid_file: path, error: errorText(error) };
    refuse(log, [{ message: 'could not write to pid file', data }]);
  }
};

/** Marks the background process. */
const backgroundVariable = 'MON_CLIENT_IN_BACKGROUND';

/** Runs the same command detached from the terminal, in its own session. */
const goToBackground = (argv: readonly string[], { logFile }: ClientOptions): void => {
  const [, script = '', ...rest] = argv;
  const output = logFile === undefined ? 'ignore' : openSync(logFile, 'a');
  const child = spawn(process.execPath, [...process.execArgv, script, ...rest], {
    detached: true,
    stdio: ['ignore', output, output],
    env: { ...process.env, [backgroundVariable]: '1' },
  });
  child.unref();
  process.exit(exitCodes.fine);
};

/** Handlers and plugins of the earlier generation reread the configuration files from this list. */
const exportLoadedFiles = ({ files }: Loaded): void => {
  const base = process.env['SENSU_LOADED_TEMPFILE_DIR'] ?? tmpdir();
  const path = join(mkdtempSync(join(base, 'mon-client-')), 'loaded_files');
  writeFileSync(path, files.join(':'), { mode: 0o600 });
  process.env['SENSU_LOADED_TEMPFILE'] = path;
  process.on('exit', () => rmSync(dirname(path), { recursive: true, force: true }));
};

const untilSignal = (log: ClientLog): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        log.warn('received signal', { signal: signal.slice(3) });
        resolve();
      });
  });

const start = async (options: ClientOptions, loaded: Loaded): Promise<void> => {
  const log = createClientLog(options.logLevel, options.logFile);
  for (const { message, data } of loaded.notices) log.warn(message, data);
  if (loaded.problems.length > 0)
    refuse(
      log,
      loaded.problems.map(({ object, message }) => ({ message, data: { object: redact(object) } })),
    );
  if (options.pidFile !== undefined) writePid(options.pidFile, log);
  exportLoadedFiles(loaded);
  const onFault = (error: unknown): void => {
    log.fatal('unexpected error - please address this immediately', {
      error: errorText(error),
      backtrace: error instanceof Error ? error.stack : undefined,
    });
    process.exit(exitCodes.badOption);
  };
  process.on('uncaughtException', onFault);
  process.on('unhandledRejection', onFault);
  const chosen = chooseTransport(loaded.settings, onFault);
  if (!chosen.ok) return refuse(log, [{ message: chosen.problem, data: {} }]);
  const client = createClient({
    settings: loaded.settings,
    version,
    log,
    timers: realTimers,
    transport: chosen.transport,
    onFault,
  });
  // Toggles between debug and the configured level.
  process.on('SIGTRAP', () => {
    log.level = log.level === 'debug' ? options.logLevel : 'debug';
  });
  // The log file is opened for every line, so nothing needs to be reopened; without a handler the signal would end
  // the process.
  process.on('SIGUSR2', () => log.info('log file reopened'));
  const signalled = untilSignal(log);
  client.start();
  await signalled;
  await client.stop();
  process.exit(exitCodes.fine);
};

export const main = async (argv: readonly string[]): Promise<void> => {
  const options = readOptions(argv);
  const loaded = load(options);
  if (options.mode !== 'start') {
    const { text, exitCode } = options.mode === 'validate' ? validateConfig(loaded) : printConfig(loaded);
    console.log(text);
    process.exit(exitCode);
  }
  const isInBackground = process.env[backgroundVariable] !== undefined;
  if (options.background && !isInBackground) return goToBackground(argv, options);
  // Not passed on to check commands.
  delete process.env[backgroundVariable];
  if (isInBackground) process.on('SIGHUP', () => {});
  await start(options, loaded);
};
