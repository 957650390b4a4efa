// Server-sent events over fetch, because a plain EventSource can't carry the login. Comes back by itself after a break,
// with the last id, so that nothing is lost in between; waits longer after each failed try.
import { request } from './api.ts';

export interface ServerEvent {
  readonly event: string;
  readonly data: unknown;
}

const firstWaitMs = 500;
const longestWaitMs = 15_000;

export interface ListenOptions {
  /** Where to go on from; without one, from now. */
  readonly lastId?: string;
  /** Told whether the stream is open. */
  readonly onState?: (open: boolean) => void;
}

/** Listens until the returned function is called. */
export const listen = (
  path: string,
  onEvent: (event: ServerEvent) => void,
  { lastId: from = '', onState = () => undefined }: ListenOptions = {},
): (() => void) => {
  const leave = new AbortController();
  let lastId = from;
  let waitMs = firstWaitMs;
  const take = (event: ServerEvent, id: string | undefined): void => {
    if (id !== undefined) lastId = id;
    waitMs = firstWaitMs;
    onEvent(event);
  };
  const run = async (): Promise<void> => {
    while (!leave.signal.aborted) {
      try {
        const headers: Record<string, string> = lastId === '' ? {} : { 'last-event-id': lastId };
        const response = await request(path, { headers, signal: leave.signal });
        onState(true);
        await readEvents(response, take);
      } catch {
        if (leave.signal.aborted) return;
      }
      onState(false);
      await new Promise((done) => setTimeout(done, waitMs));
      waitMs = Math.min(longestWaitMs, waitMs * 2);
    }
  };
  void run();
  return () => leave.abort();
};

const readEvents = async (
  response: Response,
  take: (event: ServerEvent, id: string | undefined) => void,
): Promise<void> => {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = '';
  for (;;) {
    const chunk = await reader?.read();
    if (chunk === undefined || chunk.done) return;
    buffer += chunk.value;
    let end = buffer.indexOf('\n\n');
    while (end >= 0) {
      readOne(buffer.slice(0, end), take);
      buffer = buffer.slice(end + 2);
      end = buffer.indexOf('\n\n');
    }
  }
};

const readOne = (block: string, take: (event: ServerEvent, id: string | undefined) => void): void => {
  const lines = block.split('\n');
  const field = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const event = field('event');
  if (event !== undefined) take({ event, data: JSON.parse(field('data') ?? 'null') }, field('id'));
};
