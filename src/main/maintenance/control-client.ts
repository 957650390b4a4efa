// Client of the control socket: finds the backend that runs on a state directory and sends it a command.
import { existsSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { LineSplitter } from '../../program/line-splitter.ts';
import { controlName, withControlPath } from './control-path.ts';
import { controlIdleMs, controlReachMs, maxControlConnections } from './limits.ts';

export interface BackendStatus {
  readonly pid: number;
  readonly version: string;
  /** See `storeIdentity`. */
  readonly identity: string;
  readonly store: string;
  readonly format: number;
  readonly migrated: number;
}

const ended: readonly string[] = ['ENOENT', 'ECONNREFUSED'];

const connect = (stateDir: string, url: string, timeoutMs: number): Promise<IncomingMessage> =>
  withControlPath(
    stateDir,
    (socketPath) =>
      new Promise((resolve, reject) => {
        const asked = request({ socketPath, path: url, method: 'POST' });
        asked.setTimeout(timeoutMs, () =>
          asked.destroy(
            new Error(
              `the backend in ${stateDir} has said nothing on its control socket for ${timeoutMs} ms`,
            ),
          ),
        );
        asked.once('response', resolve);
        asked.once('error', reject);
        asked.end();
      }),
  );

const wentAway = (stateDir: string): Error =>
  new Error(`the backend in ${stateDir} went away in the middle; run the command again`);

/** The lines of the response. Throws the error the backend reports, or if the connection ends early. */
export async function* askControl(
  stateDir: string,
  url: string,
  timeoutMs: number = controlIdleMs,
): AsyncGenerator<object> {
  const response = await connect(stateDir, url, timeoutMs);
  let isDone = false;
  try {
    const splitter = new LineSplitter();
    for await (const chunk of response as AsyncIterable<Buffer>) {
      for (const text of splitter.push(chunk)) {
        const line = JSON.parse(text.toString('utf8')) as {
          readonly done?: unknown;
          readonly error?: unknown;
        };
        if ('error' in line) throw new Error(String(line.error));
        if ('done' in line) isDone = true;
        else yield line;
      }
    }
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ECONNRESET' ? wentAway(stateDir) : error;
  } finally {
    response.destroy();
  }
  if (!isDone) throw wentAway(stateDir);
}

/** Undefined if no backend runs there. Rejects if it cannot be reached: another user owns it, or it does not respond. */
export const reachControl = async (stateDir: string): Promise<BackendStatus | undefined> => {
  if (!existsSync(join(stateDir, controlName))) return undefined;
  try {
    for await (const line of askControl(stateDir, '/v1/status', controlReachMs)) return line as BackendStatus;
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined && ended.includes(code)) return undefined;
    if (code === 'ECONNRESET' || code === 'EPIPE')
      throw new Error(
        `the backend in ${stateDir} closed the connection: it is stopping, or ${maxControlConnections} commands are connected already; try again in a moment`,
      );
    if (code === 'EACCES' || code === 'EPERM')
      throw new Error(
        `${join(stateDir, controlName)}: permission denied; run this as the user of the backend`,
      );
    throw error;
  }
};
