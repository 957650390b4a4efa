// What to do about keys that a backend.yml of the reference product may hold and that mean nothing here. Said once a key at start.
import type { ForeignKey } from '../program/resolve.ts';

const store = 'there is no etcd here: the store is set by state-dir or store-url';

export const foreignBackendKeys: readonly ForeignKey[] = [
  { key: /^(etcd[-.]|no-embed-etcd$)/, advice: store },
  {
    key: /^dashboard[-.]/,
    advice:
      'the page is served by the API under /ui/: see api-listen-address, api-url, cert-file and key-file',
  },
  { key: /^jwt-/, advice: 'tokens are signed with a key that the backend makes and keeps itself' },
  { key: /^(platform-metrics-|disable-platform-metrics$)/, advice: 'metrics are read from GET /metrics' },
  { key: /^(labels|annotations)$/, advice: 'the entity of a backend carries no labels or annotations' },
  {
    key: /^(eventd|keepalived|pipelined)-/,
    advice: 'there are no buffers and workers to size: it can be removed',
  },
  { key: /^event-log-/, advice: 'events are not written to a file: a handler can do that' },
];
