// The messages of a session actor: the life of one agent connection, as the edge and the backend see it.

export interface SessionContext {
  readonly namespace: string;
  readonly agent: string;
  /** Who the agent logged in as. */
  readonly user: string;
  /** Wall milliseconds. */
  readonly connectedAtMs: number;
  readonly establishedAtMs: number | null;
  readonly closedAtMs: number | null;
  /** Why it ended: close code and reason, or what the backend decided. Null while it lives. */
  readonly reason: string | null;
}

export type SessionFact =
  /** The agent was sent its configuration and listens to its subscriptions. */
  | { readonly type: 'session.established'; readonly nowMs: number }
  /** The backend wants this agent to go: it stops, the entity was deleted, a newer session took its place. */
  | { readonly type: 'drain.requested'; readonly nowMs: number; readonly reason: string }
  /** The socket is gone. `isStopped`: the agent said that it stopped, and no newer session of it is there. */
  | {
      readonly type: 'connection.closed';
      readonly nowMs: number;
      readonly reason: string;
      readonly isStopped?: boolean;
    };

export type SessionEffect =
  /** Close the socket: the agent has to go elsewhere. */
  | { readonly type: 'connection.close'; readonly reason: string }
  /** Tell its entity: nobody has to wait for a keepalive of an agent that stopped. */
  | { readonly type: 'agent.stopped' };
