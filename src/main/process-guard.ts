// The last line: an error nobody handled leaves the process in an unknown state, so it says what happened, lets a last
// flush run, and exits with 70; the service manager starts a fresh one. There is no "keep going".
import { asError, type RuntimeLog } from '../actors/runtime/inspection/facts.ts';
import { within } from '../model/time/within.ts';
import { collapseExitCode } from './exit-codes.ts';

/** Maximum wait for a last flush. */
const flushTimeoutMs = 2_000;

export interface ProcessGuardOptions {
  readonly log: RuntimeLog;
  /** Writes out what must not be lost (log buffers, open commits); waited for at most 2 s. */
  readonly flush: () => void | Promise<void>;
  /** Default `process`. */
  readonly process?: Pick<NodeJS.Process, 'on' | 'off'>;
  /** Default `process.exit`. */
  readonly exit?: (code: number) => void;
  readonly flushMs?: number;
}

/** Returns the way to remove the guard again. */
export function guardProcess(options: ProcessGuardOptions): () => void {
  const target = options.process ?? process;
  const exit = options.exit ?? ((code: number) => process.exit(code));
  let isLeaving = false;

  const leave = async (kind: string, thrown: unknown): Promise<void> => {
    const error = asError(thrown);
    const say = (text: string): void => {
      try {
        options.log.error({ kind, err: error }, text);
      } catch {
        process.stderr.write(`${text}\n${error.stack ?? error.message}\n`);
      }
    };
    // A second error while leaving (the flush itself may be what is broken) is told and changes nothing.
    if (isLeaving) {
      say(`${kind} while leaving: ${error.message}`);
      return;
    }
    isLeaving = true;
    say(`${kind}: ${error.message}; leaving with exit code ${collapseExitCode}`);
    await flushed(options.flush, options.flushMs ?? flushTimeoutMs).catch((failed: unknown) => {
      say(`the last flush failed: ${asError(failed).message}`);
    });
    exit(collapseExitCode);
  };

  const onException = (error: unknown): void => void leave('uncaughtException', error);
  const onRejection = (reason: unknown): void => void leave('unhandledRejection', reason);
  target.on('uncaughtException', onException);
  target.on('unhandledRejection', onRejection);
  return () => {
    target.off('uncaughtException', onException);
    target.off('unhandledRejection', onRejection);
  };
}

const flushed = (flush: () => void | Promise<void>, ms: number): Promise<void> =>
  within((async () => flush())(), ms, () => {
    throw new Error(`not done after ${ms} ms`);
  });
