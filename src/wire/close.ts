// The close frame of an agent that stops. Any other end of a session (a lost connection, a renewed session, a
// stopping backend) does not mean that the agent stopped.

export const agentStopped = { code: 1001, reason: 'agent stopped' } as const;

/** Whether a close by the peer means that the agent stopped. */
export const isAgentStopped = (code: number, reason: string): boolean =>
  code === agentStopped.code && reason === agentStopped.reason;
