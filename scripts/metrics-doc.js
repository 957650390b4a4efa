// Writes docs/metrics.md from the metrics that the code shows.
// Usage: node scripts/metrics-doc.js [--check]   --check: only say whether it is up to date (build first)
import { describeMetrics } from '../dist/src/main/describe-metrics.js';
import { cell, writeDoc } from './generated-doc.js';

const { metrics, queues } = describeMetrics();
const code = (words) => words.map((word) => `\`${word}\``).join(', ');
const row = ({ name, type, labels, help }) =>
  `| \`${name}\` | ${type} | ${code(labels)} | ${cell(help)}${/[.?!]$/.test(help) ? '' : '.'} |`;
const rows = (prefix) =>
  metrics
    .filter(({ name }) => name.startsWith(prefix))
    .map(row)
    .join('\n');
const table = (...prefixes) =>
  [
    '| Metric | Type | Labels | What it says |',
    '|---|---|---|---|',
    ...prefixes.map(rows).filter(Boolean),
  ].join('\n');

const text = `# Metrics

<!-- Written by scripts/metrics-doc.js from the code. -->

\`GET /metrics\` of the backend answers in the text format of Prometheus, without a login and at most once a second anew. Names
follow the conventions of Prometheus: base units (\`_seconds\`, \`_bytes\`), counters end in \`_total\` and count since the start. A
histogram has \`_bucket\`, \`_sum\` and \`_count\`; labels with names of users' making are limited, and the rest is \`other\`.
\`deploy/\` has a dashboard and alert rules that use them. [Limits](limits.md) says which metric shows how full a collection is.

The 99th percentile of a histogram over five minutes:
\`histogram_quantile(0.99, sum by (le) (rate(mon_backend_commit_duration_seconds_bucket[5m])))\`.

## Backend

${table('mon_backend_', 'mon_build_')}

The label \`queue\` is one of ${code(queues)}.

## API and agents

${table('mon_http_', 'mon_agent_')}

## Earlier generation

Present while the earlier API is on.

${table('mon_earlier_')}

## Cluster

Present on members of a [cluster](cluster.md).

${table('mon_cluster_')}

## Process

Collected by prom-client, named as in every Node.js program.

${table('process_', 'nodejs_')}
`;

writeDoc('metrics.md', text, 'metrics-doc.js');
