// The streams of all tabs over one connection. It comes back by itself after a break, each stream where it was, so that
// nothing is lost in between. A connection that says nothing for longer than its heartbeat is dead, open or not.

import { authorizationOf } from './authorization.ts';
import type { HubLogin } from './hub-login.ts';
import { readMessages } from './messages.ts';
import type { Tab } from './protocol.ts';

const url = '/api/inspect/v1/streams';
/** Streams that begin or end together are one request. */
const gatherMs = 15;
const answerLimitMs = 10_000;
/** The backend says something every four seconds. */
const silenceLimitMs = 10_000;
const firstWaitMs = 250;
/** Short: one connection a browser costs a backend that starts nearly nothing, and an operator waits for it. */
const longestWaitMs = 1_000;

interface Followed {
  readonly tab: Tab;
  readonly id: string;
  readonly url: string;
  lastId: string;
  isOpen: boolean;
}

export interface HubStreams {
  follow(tab: Tab, id: string, url: string, lastId: string): void;
  leave(tab: Tab, id?: string): void;
  /** The login changed: start over, or end. */
  renew(): void;
}

export const createHubStreams = (login: Pick<HubLogin, 'fresh' | 'end'>): HubStreams => {
  /** By the id the backend is given. */
  const followed = new Map<string, Followed>();
  let count = 0;
  let connection = new AbortController();
  let gathering: ReturnType<typeof setTimeout> | undefined;

  const tell = (one: Followed, open: boolean): void => {
    if (one.isOpen === open) return;
    one.isOpen = open;
    one.tab.send({ type: 'state', id: one.id, open });
  };
  const renew = (): void => {
    if (gathering !== undefined) return;
    gathering = setTimeout(() => {
      gathering = undefined;
      connection.abort();
      connection = new AbortController();
      if (followed.size > 0) void run(connection.signal);
    }, gatherMs);
  };

  const run = async (left: AbortSignal): Promise<void> => {
    let waitMs = firstWaitMs;
    while (!left.aborted) {
      const wasHeard = await connect(left);
      if (left.aborted) return;
      if (wasHeard === 'loggedOut') break;
      if (wasHeard === 'ended') {
        waitMs = firstWaitMs;
        continue;
      }
      for (const one of followed.values()) tell(one, false);
      await new Promise((done) => setTimeout(done, waitMs * (0.75 + Math.random() / 4)));
      waitMs = Math.min(longestWaitMs, waitMs * 2);
    }
    for (const one of followed.values()) tell(one, false);
  };

  /** `ended`: the backend ended it, as it does every few minutes. */
  const connect = async (left: AbortSignal): Promise<'ended' | 'broken' | 'loggedOut'> => {
    const dead = new AbortController();
    const leave = (): void => dead.abort();
    left.addEventListener('abort', leave);
    let watch = setTimeout(leave, answerLimitMs);
    let heard = 0;
    const listening = (): void => {
      clearTimeout(watch);
      watch = setTimeout(leave, silenceLimitMs);
    };
    try {
      const response = await ask(dead.signal);
      if (response === undefined) return 'loggedOut';
      if (!response.ok) return 'broken';
      listening();
      for await (const message of readMessages(response, listening)) {
        const one = followed.get(message.stream);
        if (one === undefined || left.aborted) continue;
        heard += 1;
        if (message.id !== undefined) one.lastId = message.id;
        tell(one, message.event !== 'refused');
        one.tab.send({ type: 'event', id: one.id, event: message.event, data: message.data });
      }
      return heard > 0 ? 'ended' : 'broken';
    } catch {
      return 'broken';
    } finally {
      clearTimeout(watch);
      left.removeEventListener('abort', leave);
    }
  };

  const ask = async (signal: AbortSignal): Promise<Response | undefined> => {
    const streams = [...followed].map(([id, one]) => ({
      id,
      url: one.url,
      ...(one.lastId === '' ? {} : { last_event_id: one.lastId }),
    }));
    let refused: string | undefined;
    for (;;) {
      const session = await login.fresh(refused);
      if (session === undefined) return undefined;
      if (session.access_token === refused) {
        login.end('The backend no longer takes this login. Log in again.');
        return undefined;
      }
      const response = await fetch(url, {
        method: 'POST',
        headers: { authorization: authorizationOf(session), 'content-type': 'application/json' },
        body: JSON.stringify({ streams }),
        signal,
      });
      if (response.status !== 401) return response;
      refused = session.access_token;
    }
  };

  return {
    follow(tab, id, address, lastId) {
      count += 1;
      followed.set(`s${count}`, { tab, id, url: address, lastId, isOpen: false });
      renew();
    },
    leave(tab, id) {
      for (const [key, one] of followed)
        if (one.tab === tab && (id === undefined || one.id === id)) followed.delete(key);
      renew();
    },
    renew,
  };
};
