// Counters of the backend connection for the agent's /metrics. A counter appears with its first increment.

const names = {
  messagesReceived: 'mon_agent_messages_received',
  messagesSent: 'mon_agent_messages_sent',
  messagesDropped: 'mon_agent_messages_dropped',
  newConnections: 'mon_agent_new_connections',
  websocketErrors: 'mon_agent_websocket_errors',
  eventsRefused: 'mon_agent_events_refused',
  statsdBadLines: 'mon_agent_statsd_bad_lines',
} as const;

type CounterName = keyof typeof names;

export interface Counters {
  add(name: CounterName, amount?: number): void;
  /** Prometheus text format. */
  render(): string;
}

export const createCounters = (): Counters => {
  const values = new Map<CounterName, number>();
  return {
    add: (name, amount = 1) => {
      values.set(name, (values.get(name) ?? 0) + amount);
    },
    render: () =>
      [...values].map(([name, value]) => `# TYPE ${names[name]} counter\n${names[name]} ${value}\n`).join(''),
  };
};
