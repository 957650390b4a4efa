// The messages and effects of the client machine. A client is the earlier
// generation's word for what reports; its record is the free-form map it sends with every keepalive.
/** The map a client sends, as it was last accepted: name, address, subscriptions, and whatever its owner added. */
export type ClientRecord = Readonly<Record<string, unknown>>;
/** A check result as it came: name, output, status, and whatever its owner added. */
export type ClientResult = Readonly<Record<string, unknown>>;

/** What the registry tells the entity of a client. */
export interface ClientReport {
  readonly record: ClientRecord;
  /** When a keepalive arrived, wall milliseconds; null when the report is no sign of life. */
  readonly heardAtMs: number | null;
  /** Not the client's own words: made up since somebody reported about it. */
  readonly isMadeUp: boolean;
}

export interface ClientContext {
  readonly name: string;
  /** Null until the first keepalive or result, and while the name is barred. */
  readonly record: ClientRecord | null;
  /** Empty while the client never signed anything. From then on what is not signed alike is dropped. */
  readonly signature: string;
  /** When the last keepalive arrived, wall milliseconds, by our own clock. */
  readonly lastHeardMs: number | null;
  /** When silence is judged next, or when a bar ends; null when nobody is waiting. */
  readonly deadlineAtMs: number | null;
  /** The transport the last keepalive came over: silence of a broker that is away is not the client's. */
  readonly via: string;
}

/** `nowMs` is wall time. */
export type ClientFact =
  | {
      readonly type: 'keepalive.received';
      readonly record: ClientRecord;
      /** Empty when the keepalive is unsigned. */
      readonly signature: string;
      readonly via: string;
      readonly nowMs: number;
    }
  | {
      readonly type: 'result.received';
      /** Of the event that comes of it; the same one when it is told again. */
      readonly id: string;
      readonly result: ClientResult;
      readonly signature: string;
      /** The client that sent it, which is another one when the result names a `source`. */
      readonly sender: string;
      /** The record this client gets if nobody has heard of it yet. */
      readonly firstRecord: ClientRecord;
      readonly nowMs: number;
    }
  /** An operator defined a client over the API. */
  | { readonly type: 'client.declared'; readonly record: ClientRecord; readonly nowMs: number }
  /** `blind`: we can't hear this client now, for reasons of our own. */
  | {
      readonly type: 'deadline.reached';
      readonly name: 'keepalive';
      readonly nowMs: number;
      readonly blind: boolean;
    }
  /** The backend came up again, or the broker did: silence until now proves nothing. */
  | { readonly type: 'client.resumed'; readonly nowMs: number }
  /** `barredUntilMs`: until then nothing of this name is believed; null: it may come back at once. */
  | { readonly type: 'client.deleted'; readonly barredUntilMs: number | null; readonly nowMs: number };

export type ClientEffect =
  | { readonly type: 'persist' }
  | { readonly type: 'deadline.set'; readonly name: 'keepalive'; readonly atMs: number }
  | { readonly type: 'deadline.clear'; readonly name: 'keepalive' }
  /** Tell the entity of this client what the record says. */
  | ({ readonly type: 'mirror' } & Pick<ClientReport, 'heardAtMs' | 'isMadeUp'>)
  /** Announce that the registry has a new client. */
  | { readonly type: 'announce'; readonly nowMs: number }
  /** A result of the check `keepalive`. */
  | {
      readonly type: 'keepalive.publish';
      readonly status: number;
      readonly output: string;
      readonly nowMs: number;
    }
  | {
      readonly type: 'result.publish';
      readonly id: string;
      readonly result: ClientResult;
      readonly sender: string;
      readonly nowMs: number;
    }
  /** Dropped because its signature is not the one this client has. */
  | { readonly type: 'refuse'; readonly what: 'keepalive' | 'result'; readonly payload: ClientRecord }
  | { readonly type: 'forget' };
