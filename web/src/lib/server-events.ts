// Streams of server-sent events, as views listen to them. All streams of all tabs share one connection, kept by the hub.
import { follow } from '../hub/connection.ts';

export interface ServerEvent {
  readonly event: string;
  readonly data: unknown;
}

export interface ListenOptions {
  /** Where to go on from; without one, from now. */
  readonly lastId?: string;
  /** Told whether the stream is open and the backend alive. */
  readonly onState?: (open: boolean) => void;
}

/** Listens until the returned function is called. Comes back by itself after a break, where it was. */
export const listen = (
  url: string,
  onEvent: (event: ServerEvent) => void,
  { lastId = '', onState = () => undefined }: ListenOptions = {},
): (() => void) => follow({ url, lastId, onEvent: (event, data) => onEvent({ event, data }), onState });
