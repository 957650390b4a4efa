// What the tabs of a browser and their hub tell each other. Types only.

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  /** Seconds since the epoch. */
  readonly expires_at: number;
}

export interface Session extends Tokens {
  readonly user: string;
  /** Absent: a login. `Key`: an API key, which is not refreshed. */
  readonly scheme?: 'Key';
}

export type ToHub =
  /** First words of a tab, with the login it kept over a reload. Answered with `session`. */
  | { readonly type: 'hello'; readonly session?: Session | undefined }
  | { readonly type: 'login'; readonly session: Session }
  | { readonly type: 'logout' }
  /** Wants a login that is good for a while; `refused`: an access token the backend did not take. */
  | { readonly type: 'fresh'; readonly ask: number; readonly refused?: string | undefined }
  | { readonly type: 'follow'; readonly id: string; readonly url: string; readonly lastId: string }
  | { readonly type: 'leave'; readonly id: string }
  | { readonly type: 'here' }
  | { readonly type: 'bye' };

export type FromHub =
  /** `why`: for the person at the login form; empty when there is nothing to say. */
  | { readonly type: 'session'; readonly session?: Session | undefined; readonly why: string }
  | { readonly type: 'fresh'; readonly ask: number; readonly session?: Session | undefined }
  /** Whether a stream is open and its backend alive. */
  | { readonly type: 'state'; readonly id: string; readonly open: boolean }
  | { readonly type: 'event'; readonly id: string; readonly event: string; readonly data: unknown }
  /** Another hub took over, or this one has forgotten the tab: say hello again, and what is followed. */
  | { readonly type: 'again' };

/** One tab, as its hub sees it. */
export interface Tab {
  send(message: FromHub): void;
}

export interface Seat {
  take(message: ToHub): void;
}
