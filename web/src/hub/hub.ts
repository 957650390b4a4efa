// The hub of a browser: keeps the one login and the one connection to the backend for all tabs of the page. Runs in a shared
// worker; where there is none, in one of the tabs.
import { createHubLogin, elsewhereText } from './hub-login.ts';
import { createHubStreams } from './hub-streams.ts';
import type { FromHub, Seat, Tab, ToHub } from './protocol.ts';

/** Tabs say every so often that they are here; a hidden one may be held up for a minute. */
export const saysHereMs = 25_000;
const forgottenMs = 180_000;

export interface Hub {
  join(tab: Tab): Seat;
}

/** `isAlone`: with a login that no other hub knows. */
export const createHub = (isAlone = false): Hub => {
  const tabs = new Map<Tab, number>();
  /** Who asked to log out: is not told why. */
  let leaving: Tab | undefined;
  const login = createHubLogin((session, why) => {
    for (const tab of tabs.keys())
      tab.send({
        type: 'session',
        session,
        why: session === undefined && tab !== leaving ? why || elsewhereText : '',
      });
    streams.renew();
  }, isAlone);
  const streams = createHubStreams(login);

  const forget = (tab: Tab): void => {
    if (tabs.delete(tab)) streams.leave(tab);
  };
  setInterval(() => {
    for (const [tab, seenMs] of tabs) if (Date.now() - seenMs > forgottenMs) forget(tab);
  }, saysHereMs);

  const answer = async (tab: Tab, message: ToHub): Promise<void> => {
    switch (message.type) {
      case 'hello':
        await login.offered(message.session);
        tab.send({ type: 'session', session: login.session, why: '' });
        return;
      case 'login':
        login.begin(message.session);
        return;
      case 'logout':
        leaving = tab;
        login.logout();
        leaving = undefined;
        return;
      case 'fresh': {
        const session = await login.fresh(message.refused);
        const reply: FromHub = { type: 'fresh', ask: message.ask, session };
        tab.send(reply);
        return;
      }
      case 'follow':
        streams.follow(tab, message.id, message.url, message.lastId);
        return;
      case 'leave':
        streams.leave(tab, message.id);
        return;
      case 'bye':
        forget(tab);
        return;
      case 'here':
        return;
    }
  };

  return {
    join: (tab) => ({
      take(message) {
        const isKnown = tabs.has(tab);
        if (message.type !== 'bye') tabs.set(tab, Date.now());
        if (!isKnown && message.type === 'here') tab.send({ type: 'again' });
        void answer(tab, message);
      },
    }),
  };
};
