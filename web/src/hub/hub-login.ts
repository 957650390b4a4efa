// The login of all tabs of a browser: an access token for five minutes, a refresh token that works once, used by nobody but
// the hub. It lives in memory here and in each tab's own storage, so it ends with the last tab. Where two hubs run (of two
// versions of the page, or where there are no shared workers), they tell each other what they have.
import { authorizationOf } from './authorization.ts';
import type { Session } from './protocol.ts';

const goodForMs = 30_000;
const refreshLimitMs = 20_000;
/** How long other hubs have to answer one that begins without a login. */
const peersAnswerMs = 250;

export interface HubLogin {
  readonly session: Session | undefined;
  /** Resolves when the login is known, or known not to be there. */
  offered(session: Session | undefined): Promise<void>;
  begin(session: Session): void;
  end(why: string): void;
  logout(): void;
  /** The login with a token that is good for half a minute; undefined when there is none any more. */
  fresh(refused?: string): Promise<Session | undefined>;
}

type PeerMessage =
  | { readonly type: 'ask' }
  | { readonly type: 'have'; readonly session?: Session | undefined; readonly why: string };

const twiceText =
  'The login is over: it was used in two places at once, as if somebody had copied it. Log in again.';
const keyText = 'The API key of this wallboard is not taken any more.';
const overText = 'The login is over: it was ended, or nobody used it for too long. Log in again.';
export const elsewhereText = 'You logged out in another tab.';

/** `onChange` is called for every change, no matter who made it. `isAlone`: neither tells other hubs nor hears from them. */
export const createHubLogin = (
  onChange: (session: Session | undefined, why: string) => void,
  isAlone = false,
): HubLogin => {
  let session: Session | undefined;
  let refreshing: Promise<void> | undefined;
  let told: (() => void) | undefined;
  const peers =
    isAlone || typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('mon.login');
  const tellPeers = (message: PeerMessage): void => peers?.postMessage(message);

  const take = (next: Session | undefined, why: string): void => {
    session = next;
    onChange(next, why);
  };
  const change = (next: Session | undefined, why: string): void => {
    take(next, why);
    tellPeers({ type: 'have', session: next, why: next === undefined && why === '' ? elsewhereText : why });
  };
  if (peers !== undefined)
    peers.onmessage = ({ data }: MessageEvent<PeerMessage>) => {
      if (data.type === 'ask') {
        if (session !== undefined) tellPeers({ type: 'have', session, why: '' });
        return;
      }
      if (data.session?.refresh_token !== session?.refresh_token) take(data.session, data.why);
      told?.();
    };

  const refresh = async (): Promise<void> => {
    const old = session;
    if (old === undefined) return;
    if (old.scheme === 'Key') return change(undefined, keyText);
    const response = await fetch('/auth/token', { ...tokenRequest(old), signal: limit() }).catch(
      () => undefined,
    );
    // Another hub, or a login in a tab, was faster.
    if (session !== old) return;
    if (response?.ok === true) change({ ...(await response.json()), user: old.user }, '');
    else if (response !== undefined && response.status < 500 && response.status !== 429)
      change(undefined, await reasonOf(response));
  };

  return {
    get session() {
      return session;
    },
    async offered(kept) {
      if (session !== undefined) return;
      if (kept !== undefined) return take(kept, '');
      if (peers === undefined) return;
      await new Promise<void>((done) => {
        told = done;
        tellPeers({ type: 'ask' });
        setTimeout(done, peersAnswerMs);
      });
    },
    begin: (next) => change(next, ''),
    end: (why) => change(undefined, why),
    logout() {
      const old = session;
      change(undefined, '');
      if (old !== undefined && old.scheme === undefined)
        fetch('/auth/logout', { ...tokenRequest(old), signal: limit() }).catch(() => undefined);
    },
    async fresh(refused) {
      const isOver = (): boolean =>
        session !== undefined &&
        (session.access_token === refused || session.expires_at * 1000 - Date.now() < goodForMs);
      if (isOver()) {
        refreshing ??= alone(async () => {
          if (isOver()) await refresh();
        }).finally(() => {
          refreshing = undefined;
        });
        await refreshing;
      }
      return session;
    },
  };
};

/** One hub at a time, where the browser has locks. */
const alone = async (act: () => Promise<void>): Promise<void> => {
  const locks = (navigator as Partial<Navigator>).locks;
  await (locks === undefined ? act() : locks.request('mon.refresh', act));
};

const limit = (): AbortSignal => AbortSignal.timeout(refreshLimitMs);

const tokenRequest = (old: Session): RequestInit => ({
  method: 'POST',
  headers: {
    accept: 'application/json',
    authorization: authorizationOf(old),
    'content-type': 'application/json',
  },
  body: JSON.stringify({ refresh_token: old.refresh_token }),
});

const reasonOf = async (response: Response): Promise<string> => {
  if (response.status === 400) return twiceText;
  const said = (await response.json().catch(() => ({}))) as { message?: string };
  if (said.message === undefined || /unauthorized/i.test(said.message)) return overText;
  return `${said.message.charAt(0).toUpperCase()}${said.message.slice(1)}. Log in again.`;
};
