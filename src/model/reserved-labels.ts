// Labels and annotations the platform itself sets, each under two names: ours, and that of the reference product, whose backends,
// agents, filters and handlers read them. Written under both, read under either.

const prefixes = ['mon.io', 'sensu.io'] as const;

/** The same value under both names. */
export const underBothNames = (name: string, value: string): Record<string, string> =>
  Object.fromEntries(prefixes.map((prefix) => [`${prefix}/${name}`, value]));

/** On an entity: its agent insists on its own configuration. */
export const managedByAgentLabels: Readonly<Record<string, string>> = {
  'mon.io/managed_by': 'mon-agent',
  'sensu.io/managed_by': 'sensu-agent',
};

/** On a resource that was written by the command line from a file; pruning deletes no others. */
export const managedByCtlLabels: Readonly<Record<string, string>> = {
  'mon.io/managed_by': 'mon-ctl',
  'sensu.io/managed_by': 'sensuctl',
};

/** On an event: how many bytes of its output were cut. */
export const truncatedBytesLabels = (bytes: number): Record<string, string> =>
  underBothNames('output_truncated_bytes', String(bytes));
