// The control socket: how commands on the backend's own machine reach the process that owns the store. It lies in the state
// directory and is open to its user only; who can connect to it could read the store as well. Speaks HTTP/1.1: a request
// names the work, the answer is one JSON object a line, the last `{"done":true}` or `{"error":"..."}`.
import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { errorText, type Logger } from '../../program/log.ts';
import { reachControl } from './control-client.ts';
import { controlName, withControlPath } from './control-path.ts';
import { controlChunkBytes, controlStallMs, maxControlConnections } from './limits.ts';

/** By path; each makes the lines of its answer. It is ended early when the asker goes away. */
export type ControlRoutes = Readonly<Record<string, () => AsyncIterable<object>>>;

export interface Control {
  close(): Promise<void>;
}

/** Throws when the asker does not read on. */
const write = async (response: ServerResponse, text: string): Promise<void> => {
  if (response.destroyed) throw new Error('the command went away');
  if (response.write(text)) return;
  const stalled = AbortSignal.timeout(controlStallMs);
  await Promise.race([
    once(response, 'drain', { signal: stalled }),
    once(response, 'close', { signal: stalled }),
  ]);
  if (response.destroyed) throw new Error('the command went away');
};

const answer = async (lines: AsyncIterable<object>, response: ServerResponse): Promise<void> => {
  let waiting = '';
  for await (const line of lines) {
    waiting += `${JSON.stringify(line)}\n`;
    // Progress is for people who look now; records can wait for each other.
    if (waiting.length < controlChunkBytes && !('progress' in line)) continue;
    await write(response, waiting);
    waiting = '';
  }
  await write(response, `${waiting}{"done":true}\n`);
};

const serve = (routes: ControlRoutes, log: Logger): Server =>
  createServer((request, response) => {
    const lines = routes[request.url ?? ''];
    if (lines === undefined) {
      response.writeHead(404).end('{"error":"this backend does not know this command"}\n');
      return;
    }
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    answer(lines(), response)
      .catch((error: unknown) => {
        log.warn({ command: request.url, err: error }, 'a command could not be carried out');
        if (!response.destroyed) response.write(`${JSON.stringify({ error: errorText(error) })}\n`);
      })
      .finally(() => response.end());
  });

/** Undefined where there can be no socket; the log says why. The caller owns the store, so a socket that is there is a leftover. */
export const openControl = async (
  stateDir: string,
  routes: ControlRoutes,
  log: Logger,
): Promise<Control | undefined> => {
  const path = join(stateDir, controlName);
  try {
    if ((await reachControl(stateDir)) !== undefined)
      throw new Error('another backend uses this state directory');
    rmSync(path, { force: true });
    const server = serve(routes, log);
    server.maxConnections = maxControlConnections;
    await withControlPath(stateDir, async (address) => {
      server.listen(address);
      await once(server, 'listening');
    });
    chmodSync(path, 0o600);
    server.on('error', (error) => log.error({ err: error }, 'the control socket failed'));
    return {
      close: async () => {
        server.close();
        server.closeAllConnections();
        rmSync(path, { force: true });
      },
    };
  } catch (error) {
    log.warn(
      { path, error: errorText(error) },
      'there is no control socket: backup, upgrade and check-store work only while this backend is stopped',
    );
    return undefined;
  }
};
