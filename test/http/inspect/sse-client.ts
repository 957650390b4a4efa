// A server-sent events client for tests: reads one stream and waits for given messages.
import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';

interface Told {
  readonly event: string;
  readonly id: string | undefined;
  /** Which of several streams on one connection. */
  readonly stream: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server says
  readonly data: any;
}

export interface SseClient {
  readonly told: readonly Told[];
  readonly response: IncomingMessage;
  /** The first message that fits, from now or before. */
  until(what: string, fits: (one: Told) => boolean): Promise<Told>;
  leave(): void;
}

const patienceMs = 20_000;

const read = (block: string): Told | undefined => {
  const field = (name: string): string | undefined =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const event = field('event');
  return event === undefined
    ? undefined
    : { event, id: field('id'), stream: field('stream'), data: JSON.parse(field('data') ?? 'null') };
};

/** With a body it is asked for by POST. */
export const followStream = (
  url: string,
  headers: Record<string, string>,
  body?: object,
): Promise<SseClient> =>
  new Promise((resolve, reject) => {
    const options = {
      method: body === undefined ? 'GET' : 'POST',
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    };
    const asked = request(url, options, (response) => {
      const told: Told[] = [];
      const waiting: (() => void)[] = [];
      let buffer = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        const blocks = (buffer + chunk).split('\n\n');
        buffer = blocks.pop() ?? '';
        told.push(...blocks.flatMap((block) => read(block) ?? []));
        for (const wake of waiting.splice(0)) wake();
      });
      response.on('error', () => {});
      const until: SseClient['until'] = async (what, fits) => {
        const untilMs = performance.now() + patienceMs;
        for (;;) {
          const found = told.find(fits);
          if (found !== undefined) return found;
          assert.ok(
            performance.now() < untilMs,
            `never told ${what}; told: ${JSON.stringify(told).slice(0, 2_000)}`,
          );
          await new Promise<void>((wake) => {
            waiting.push(wake);
            setTimeout(wake, 500);
          });
        }
      };
      resolve({ told, response, until, leave: () => asked.destroy() });
    });
    asked.on('error', (error) => reject(error));
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
