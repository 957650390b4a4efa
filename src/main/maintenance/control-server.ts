// The control socket: local commands use it to reach the process that owns the store. It is in the state directory with mode
// 0600; anyone who can connect can also read the store. HTTP/1.1: the path names the command, the response has one JSON
// object per line, the last is `{"done":true}` or `{"error":"..."}`.
import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { errorText, type Logger } from '../../program/log.ts';
import { reachControl } from './control-client.ts';
import { controlName, withControlPath } from './control-path.ts';
import { controlChunkBytes, controlStallMs, maxControlConnections } from './limits.ts';

/** By path; each yields the lines of its response, and is stopped if the client disconnects. */
export type ControlRoutes = Readonly<Record<string, () => AsyncIterable<object>>>;

export interface Control {
  close(): Promise<void>;
}

/** Throws if the client stops reading. */
const write = async (response: ServerResponse, text: string): Promise<void> => {
  if (response.destroyed) throw new Error('the command went away');
  if (response.write(text)) return;
  const stalled = AbortSignal.timeout(controlStallMs);
  // Ends the listener of the event that did not come: a large backup waits here thousands of times.
  const waited = new AbortController();
  const signal = AbortSignal.any([stalled, waited.signal]);
  try {
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  } finally {
    waited.abort();
  }
  if (response.destroyed) throw new Error('the command went away');
};

const answer = async (lines: AsyncIterable<object>, response: ServerResponse): Promise<void> => {
  let waiting = '';
  for await (const line of lines) {
    waiting += `${JSON.stringify(line)}\n`;
    // Progress lines are sent immediately; records are batched.
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

/** Undefined if no socket can be created (logged). The caller owns the store, so an existing socket is stale and replaced. */
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
