// A broker in memory: what a client publishes can be read, and what the test says is delivered.

import type { Pipe } from '../../src/model/earlier/pipes.ts';
import {
  type Arrival,
  NotConnected,
  type Take,
  type Transport,
  type TransportListener,
} from '../../src/wire/earlier/transport.ts';

interface Published {
  readonly pipe: string;
  readonly message: { readonly [key: string]: unknown };
}

export const fakeTransport = () => {
  const published: Published[] = [];
  const takers = new Map<string, { readonly pipe: Pipe; readonly funnel: string; readonly take: Take }>();
  let listener: TransportListener | undefined;
  let up = false;
  let answers = true;
  const transport: Transport = {
    name: 'redis',
    isConnected: () => up,
    open: (given) => {
      listener = given;
    },
    publish: async ({ name }, message) => {
      if (!up) throw new NotConnected();
      if (!answers) return new Promise(() => {});
      published.push({ pipe: name, message: JSON.parse(message) });
    },
    subscribe: async (pipe, funnel, take) => {
      if (!up) throw new NotConnected();
      takers.set(pipe.name, { pipe, funnel, take });
    },
    unsubscribe: async () => (answers ? takers.clear() : new Promise(() => {})),
    stats: async () => ({ messages: 0, consumers: 0 }),
    close: async () => {
      up = false;
    },
  };
  return {
    transport,
    published,
    takers,
    results: () => published.filter(({ pipe }) => pipe === 'results').map(({ message }) => message),
    keepalives: () => published.filter(({ pipe }) => pipe === 'keepalives').map(({ message }) => message),
    connect: () => {
      up = true;
      listener?.connected();
    },
    /** The connection stays, and nothing that is sent is confirmed any more. */
    fallSilent: () => {
      answers = false;
    },
    block: (reason: string) => listener?.blocked?.(reason),
    unblock: () => listener?.unblocked?.(),
    lose: () => {
      up = false;
      takers.clear();
      listener?.lost('broken');
    },
    request: (pipe: string, request: object | string, arrival?: Arrival) =>
      takers
        .get(pipe)
        ?.take(Buffer.from(typeof request === 'string' ? request : JSON.stringify(request)), arrival),
  };
};
