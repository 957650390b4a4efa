// Several streams over one connection. A browser opens six connections to a host over HTTP/1.1, so a page in many tabs asks
// for all of its streams at once. Each is named by the address under which it can be read alone; its messages carry the
// reader's id of it in a field `stream`. A changed set of streams is a new request, which goes on where the old one ended.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { MonError } from '../../model/errors.ts';
import { streamHead } from './event-stream.ts';
import { bundleHeartbeatMs, maxBundledStreams } from './limits.ts';
import { type InspectionAccess, type InspectionDeps, inspectionRoot, parse } from './request.ts';

interface FoundStream {
  readonly access: readonly InspectionAccess[];
  /** Server-sent events as text. Ends by itself at some time, and the connection with it. */
  begin(lastEventId: string | undefined): Readable;
}

/** Undefined where the address names no stream of this source. Throws `invalid` where what it asks for cannot be. */
export type StreamSource = (address: URL) => FoundStream | undefined;

export const bundleSchema = z.object({
  streams: z
    .array(
      z.object({
        id: z.string().regex(/^[\w-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -'),
        url: z.string().min(1).max(32_768),
        last_event_id: z.string().max(256).optional(),
      }),
    )
    .min(1)
    .max(maxBundledStreams, `must not name more than ${maxBundledStreams} streams`),
});

type Asked = z.infer<typeof bundleSchema>['streams'][number];

export const registerStreamBundle = (
  app: FastifyInstance,
  deps: InspectionDeps,
  sources: readonly StreamSource[],
): void => {
  const open = new Set<ServerResponse>();
  app.addHook('preClose', async () => {
    for (const response of open) response.end();
  });

  app.post(`${inspectionRoot}/streams`, async (request, reply) => {
    await deps.identify(request);
    const { streams } = parse(bundleSchema, request.body);
    const admitted: (Asked & { readonly found: FoundStream })[] = [];
    const refused: string[] = [];
    for (const asked of streams) {
      try {
        const found = find(sources, asked.url);
        for (const access of found.access) await deps.authorize(request, access);
        admitted.push({ ...asked, found });
      } catch (error) {
        if (!(error instanceof MonError)) throw error;
        const { status, message } = error;
        refused.push(labelled(asked.id, `event: refused\ndata: ${JSON.stringify({ status, message })}\n\n`));
      }
    }
    const response = reply.raw;
    const access = admitted.flatMap(({ found }) => found.access);
    const ended = await deps.admitStream?.(request, access, () => response.destroy());
    reply.hijack();
    open.add(response);
    response.writeHead(200, streamHead);
    response.write(': open\n\n');
    for (const message of refused) response.write(message);
    const inner = admitted.map(({ id, found, last_event_id }) => ({ id, from: found.begin(last_event_id) }));
    const beat = setInterval(() => {
      if (!response.writableNeedDrain) response.write(': still here\n\n');
    }, bundleHeartbeatMs);
    const leave = (): void => {
      clearInterval(beat);
      open.delete(response);
      for (const { from } of inner) from.destroy();
      ended?.();
    };
    response.on('close', leave);
    if (response.closed) leave();
    for (const { id, from } of inner) void carry(id, from, response);
  });
};

const find = (sources: readonly StreamSource[], url: string): FoundStream => {
  const here = 'http://here';
  for (const source of URL.canParse(url, here) ? sources : []) {
    const found = source(new URL(url, here));
    if (found !== undefined) return found;
  }
  throw new MonError('notFound', `there is no stream ${url}`);
};

/** Ends the connection with the stream: one that is over comes back with a fresh token, one that stalled is cut. */
const carry = async (id: string, from: Readable, response: ServerResponse): Promise<void> => {
  try {
    for await (const chunk of from) {
      if (response.write(labelled(id, String(chunk)))) continue;
      await Promise.race([once(response, 'drain'), once(from, 'close')]);
    }
    response.end();
  } catch {
    // Cut off in the middle: by its reader, who is gone, or for reading nothing.
    response.destroy();
  }
};

/** Each message of a text, told to be of one stream. Comments stay as they are. */
const labelled = (id: string, text: string): string =>
  text.replaceAll(/(^|\n\n)(?=[a-z])/g, `$1stream: ${id}\n`);
