// The checks of a first start: load, disk and memory of this machine, with standard Linux tools. Their thresholds
// are labels of the entity, so they can be changed without editing the check: `memory_warning`, `disk_critical`,
// ...

const subscription = 'starter';
const namespace = 'default';

/** Seconds between runs; a missing result for `ttlSeconds` is itself an event. */
const intervalSeconds = 10;
const ttlSeconds = 30;

/** Prints one status line with performance data and exits with 0, 1 or 2, like monitoring plugins. */
const judge = (title: string, unit: string): string =>
  `awk -v v="$value" -v w="$warning" -v c="$critical" 'BEGIN { s = v >= c ? 2 : v >= w ? 1 : 0; ` +
  `n = s == 2 ? "CRITICAL" : s == 1 ? "WARNING" : "OK"; ` +
  `printf "${title} %s - %s${unit} (warning at %s, critical at %s) | ${title.toLowerCase()}=%s;%s;%s\\n", n, v, w, c, v, w, c; exit s }'`;

const limits = (name: string, warning: number, critical: number): string =>
  `warning={{ .labels.${name}_warning | default ${warning} }}; critical={{ .labels.${name}_critical | default ${critical} }}; `;

const starter = (name: string, command: string) => ({
  metadata: { name, namespace },
  command,
  subscriptions: [subscription],
  handlers: ['alerts'],
  interval: intervalSeconds,
  ttl: ttlSeconds,
  timeout: 5,
  publish: true,
  output_metric_format: 'nagios_perfdata',
});

export const starterChecks = [
  starter(
    'load',
    `${limits('load', 4, 8)}read value rest < /proc/loadavg; ${judge('LOAD', ' over one minute')}`,
  ),
  starter(
    'disk',
    `${limits('disk', 85, 95)}value=$(df -P / | awk 'NR == 2 { sub("%", "", $5); print $5 }'); ${judge('DISK', '%% of / used')}`,
  ),
  starter(
    'memory',
    `${limits('memory', 85, 95)}value=$(awk '/^MemTotal/ { t = $2 } /^MemAvailable/ { a = $2 } END { printf "%d", 100 * (t - a) / t }' /proc/meminfo); ${judge('MEMORY', '%% used')}`,
  ),
];

export const starterSubscription = subscription;

/** Appends each incident and recovery as one line to a file, to show a handler at work. */
export const starterHandler = (alertsFile: string) => ({
  metadata: { name: 'alerts', namespace },
  type: 'pipe',
  command: `{ printf '%s  ' "$(date -u +%FT%TZ)"; cat; } >> '${alertsFile.replaceAll("'", "'\\''")}'`,
  mutator: 'only_check_output',
  filters: ['is_incident', 'not_silenced'],
  timeout: 5,
});
