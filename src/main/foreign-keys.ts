// Advice for keys of the reference product's backend.yml that have no effect here. Logged once per key at start.
import type { ForeignKey } from '../program/resolve.ts';

const store = 'there is no etcd: configure the store with state-dir or store-url';

export const foreignBackendKeys: readonly ForeignKey[] = [
  { key: /^(etcd[-.]|no-embed-etcd$)/, advice: store },
  {
    key: /^dashboard[-.]/,
    advice:
      'the API serves the dashboard under /ui/: see api-listen-address, api-url, cert-file and key-file',
  },
  { key: /^jwt-/, advice: 'the backend creates and stores its token signing key itself' },
  { key: /^(platform-metrics-|disable-platform-metrics$)/, advice: 'read metrics from GET /metrics' },
  { key: /^(labels|annotations)$/, advice: 'a backend has no entity with labels or annotations' },
  {
    key: /^(eventd|keepalived|pipelined)-/,
    advice: 'there are no buffers or workers to configure: remove it',
  },
  { key: /^event-log-/, advice: 'events are not written to a file; use a handler' },
];
