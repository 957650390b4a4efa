// Keeps one connection open: reconnects with increasing delays until it is stopped.
import { within } from '../../model/time/within.ts';
import { closeTimeoutMs, maxReconnectDelayMs, reconnectStepMs } from './limits.ts';
import type { TransportListener } from './transport.ts';

export interface Connection {
  close(): Promise<void> | void;
}

export interface KeeperOptions<T extends Connection> {
  /** Connects. Afterwards `lost` is called at most once, when the connection ends on its own. */
  readonly open: (lost: (reason: string) => void) => Promise<T>;
  readonly listener: TransportListener;
  /** First delay, and the increment per failure. */
  readonly stepMs?: number | undefined;
}

export interface Keeper<T> {
  current(): T | undefined;
  stop(): Promise<void>;
}

const reasonOf = (error: unknown): string =>
  error instanceof Error && error.message !== '' ? error.message : String(error);

export const keepConnected = <T extends Connection>({
  open,
  listener,
  stepMs = reconnectStepMs,
}: KeeperOptions<T>): Keeper<T> => {
  let connection: T | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let stopped = false;
  let attempt: Promise<void> = Promise.resolve();

  const retry = () => {
    if (stopped) return;
    failures += 1;
    timer = setTimeout(connect, Math.min(failures * stepMs, maxReconnectDelayMs));
  };
  const down = (failed: T | undefined, reason: string) => {
    if (failed === undefined || failed !== connection) return;
    connection = undefined;
    listener.lost(reason);
    // A broken connection may never report its close; the next attempt does not wait for it.
    Promise.resolve(failed.close()).catch((error) => listener.failed(reasonOf(error)));
    retry();
  };
  const tryOnce = async (): Promise<void> => {
    let opened: T | undefined;
    // The connection may be lost before `open` resolves.
    let early: string | undefined;
    try {
      opened = await open((reason) => {
        if (opened === undefined) early = reason;
        else down(opened, reason);
      });
    } catch (error) {
      if (!stopped) listener.failed(reasonOf(error));
      return retry();
    }
    if (stopped) return void (await opened.close());
    failures = 0;
    connection = opened;
    if (early === undefined) listener.connected();
    else down(opened, early);
  };
  const connect = () => {
    attempt = tryOnce();
  };
  connect();
  return {
    current: () => connection,
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      const last = connection;
      connection = undefined;
      await last?.close();
      // An attempt that is under way closes its connection itself.
      await within(attempt, closeTimeoutMs, () => undefined);
    },
  };
};
