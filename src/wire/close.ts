// How an agent ends its session for good: a close frame that says so. Any other end (a lost line, a session that is renewed, a
// backend that goes away) says nothing about the agent.

export const agentStopped = { code: 1001, reason: 'agent stopped' } as const;

/** Whether a peer that closed by itself is an agent that stopped. */
export const isAgentStopped = (code: number, reason: string): boolean =>
  code === agentStopped.code && reason === agentStopped.reason;
