// Labels and annotations set by the platform. Each has two names, ours and the one of the reference product, which
// existing backends, agents, filters and handlers read. Both are written, either is read.

const prefixes = ['mon.io', 'sensu.io'] as const;

/** The same value under both names. */
export const underBothNames = (name: string, value: string): Record<string, string> =>
  Object.fromEntries(prefixes.map((prefix) => [`${prefix}/${name}`, value]));

/** On an entity: its agent manages the configuration. */
export const managedByAgentLabels: Readonly<Record<string, string>> = {
  'mon.io/managed_by': 'mon-agent',
  'sensu.io/managed_by': 'sensu-agent',
};

/** On a resource that was written by the command line from a file; pruning deletes no others. */
export const managedByCtlLabels: Readonly<Record<string, string>> = {
  'mon.io/managed_by': 'mon-ctl',
  'sensu.io/managed_by': 'sensuctl',
};

/** On an event: the number of output bytes that were truncated. */
export const truncatedBytesLabels = (bytes: number): Record<string, string> =>
  underBothNames('output_truncated_bytes', String(bytes));
