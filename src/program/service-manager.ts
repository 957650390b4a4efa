// Service manager: tells systemd that this program serves, that it stops, and that it still runs (sd_notify(3)). Node has no
// unix datagram sockets, so the message is sent by systemd-notify, which every system with systemd has. The unit needs
// NotifyAccess=all, for the message comes from a child. Without NOTIFY_SOCKET nothing is reported and nothing is started.
import { spawn } from 'node:child_process';
import { errorText, type Logger } from './log.ts';

export interface ServiceManager {
  /** From now on the program serves. Begins to answer the watchdog, where the unit has one. Once is enough. */
  ready(): void;
  stopping(): void;
}

const silent: ServiceManager = { ready: () => {}, stopping: () => {} };

/** systemd ends a service that says nothing for WATCHDOG_USEC; a third of that leaves room for one message to be late. */
const watchdogMs = ({ WATCHDOG_USEC, WATCHDOG_PID }: NodeJS.ProcessEnv): number | undefined => {
  const microseconds = Number(WATCHDOG_USEC);
  const isForUs = WATCHDOG_PID === undefined || WATCHDOG_PID === String(process.pid);
  return isForUs && microseconds > 0 ? microseconds / 3_000 : undefined;
};

/** Takes what systemd said out of the environment, so that no check or handler can answer in our place. */
export const openServiceManager = (environment: NodeJS.ProcessEnv, log: Logger): ServiceManager => {
  const { NOTIFY_SOCKET: socket, PATH } = environment;
  const every = watchdogMs(environment);
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete environment[name];
  if (socket === undefined || socket === '') return silent;
  const tell = (...words: string[]): void => {
    const child = spawn('systemd-notify', words, {
      env: { NOTIFY_SOCKET: socket, ...(PATH === undefined ? {} : { PATH }) },
      stdio: 'ignore',
    });
    child.on('error', (error) =>
      log.warn(
        { error: errorText(error) },
        'unable to tell systemd how this service is: systemd-notify is needed',
      ),
    );
    child.unref();
  };
  let timer: NodeJS.Timeout | undefined;
  let isReady = false;
  return {
    ready: () => {
      if (isReady) return;
      isReady = true;
      tell('--ready', `--pid=${process.pid}`);
      if (every !== undefined) timer = setInterval(() => tell('WATCHDOG=1'), every).unref();
    },
    stopping: () => {
      clearInterval(timer);
      tell('STOPPING=1');
    },
  };
};
