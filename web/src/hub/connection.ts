// This tab's end of the hub: what it follows and what it asked for, said again whenever another hub takes over.
import { signal } from '@preact/signals';
import { saysHereMs } from './hub.ts';
import { openLink } from './link.ts';
import type { FromHub, Session, ToHub } from './protocol.ts';
import { forgetWallKey, sessionOfKey, wallKey } from './wall-key.ts';

export interface StreamReader {
  readonly url: string;
  /** Where to go on from; empty: from now. */
  readonly lastId: string;
  readonly onEvent: (event: string, data: unknown) => void;
  readonly onState: (open: boolean) => void;
}

const storageKey = 'mon.session';
const answerLimitMs = 25_000;
/** A hub that does not answer does not keep anybody from the login form. */
const helloLimitMs = 1_500;

/** Over a reload the login is in the tab's own storage; that of a wall is its key. */
const kept = (): Session | undefined => {
  if (wallKey !== undefined) return sessionOfKey(wallKey);
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
};

export const session = signal<Session | undefined>(kept());
/** Whether it is still unknown if another tab has a login. */
export const isAsking = signal(session.value === undefined);
/** Why there is no login any more, for the person at the form; empty when there is nothing to say. */
export const whyLoggedOut = signal('');

const readers = new Map<string, StreamReader>();
const asked = new Map<number, (session: Session | undefined) => void>();
let count = 0;

const keep = (next: Session | undefined): void => {
  if (wallKey !== undefined) {
    if (next === undefined) forgetWallKey();
  } else if (next === undefined) sessionStorage.removeItem(storageKey);
  else sessionStorage.setItem(storageKey, JSON.stringify(next));
  session.value = next;
};

const receive = (message: FromHub): void => {
  switch (message.type) {
    case 'session':
      if (message.session !== undefined) whyLoggedOut.value = '';
      else if (message.why !== '') whyLoggedOut.value = message.why;
      keep(message.session);
      isAsking.value = false;
      return;
    case 'fresh':
      asked.get(message.ask)?.(message.session);
      asked.delete(message.ask);
      return;
    case 'state':
      readers.get(message.id)?.onState(message.open);
      return;
    case 'event':
      readers.get(message.id)?.onEvent(message.event, message.data);
      return;
    case 'again':
      introduce();
      return;
  }
};

const send = openLink(receive, wallKey !== undefined);
const introduce = (): void => {
  send({ type: 'hello', session: session.value });
  for (const [id, { url, lastId }] of readers) send({ type: 'follow', id, url, lastId });
};
introduce();
setTimeout(() => {
  isAsking.value = false;
}, helloLimitMs);
setInterval(() => send({ type: 'here' }), saysHereMs);
addEventListener('pagehide', () => send({ type: 'bye' }));
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) introduce();
});

export const beginSession = (next: Session): void => {
  whyLoggedOut.value = '';
  keep(next);
  send({ type: 'login', session: next });
};

export const endSession = (): void => {
  whyLoggedOut.value = '';
  keep(undefined);
  send({ type: 'logout' });
};

/** A login that is good for at least the next half minute. `refused`: an access token the backend did not take. */
export const freshSession = (refused?: string): Promise<Session | undefined> =>
  new Promise((resolve) => {
    count += 1;
    const ask = count;
    asked.set(ask, resolve);
    const message: ToHub = { type: 'fresh', ask, ...(refused === undefined ? {} : { refused }) };
    send(message);
    setTimeout(() => {
      if (asked.delete(ask)) resolve(session.value);
    }, answerLimitMs);
  });

/** Follows a stream until the returned function is called. */
export const follow = (reader: StreamReader): (() => void) => {
  count += 1;
  const id = `f${count}`;
  readers.set(id, reader);
  send({ type: 'follow', id, url: reader.url, lastId: reader.lastId });
  return () => {
    readers.delete(id);
    send({ type: 'leave', id });
  };
};
