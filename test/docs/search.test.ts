// What readers type into the search of the handbook leads to the page that answers it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import MiniSearch from 'minisearch';

const root = fileURLToPath(new URL('../../..', import.meta.url));

interface Found {
  readonly url: string;
}

interface Ranking {
  readonly indexOptions: { readonly fields: string[]; readonly storeFields: string[] };
  readonly find: (
    index: MiniSearch,
    query: string,
  ) => { readonly complete: boolean; readonly found: readonly Found[] };
}

const { indexOptions, find }: Ranking = await import(`${root}docs/site/ranking.js`);
const index = MiniSearch.loadJSON(
  readFileSync(`${root}web/handbook/search-index.json`, 'utf8'),
  indexOptions,
);

/** The page among the first results, and so in sight. */
const firstResults = 4;

const wanted: Readonly<Record<string, readonly string[]>> = {
  'tutorial/first-alert.html': ['getting started', 'first check'],
  'guides/checks.html': ['cron time zone', 'timezone', 'passive check', 'dead man', 'exit status'],
  'guides/handlers.html': [
    'send email',
    'slack notification',
    'pipe handler python',
    'test a handler',
    'mutator python',
    'second failure',
  ],
  'guides/filters.html': ['working hours', 'alert only on third failure', 'only on change'],
  'guides/silences.html': ['maintenance window', 'mute', 'weekly silence', 'downtime'],
  'guides/keepalives.html': ['host down', 'agent silent', 'heartbeat'],
  'guides/metrics.html': ['graphite', 'influxdb', 'statsd', 'performance data', 'time series'],
  'guides/proxy-entities.html': ['network devices', 'router switch ping', 'snmp', 'website without agent'],
  'guides/secrets.html': ['vault', 'password in handler', 'api token'],
  'guides/assets.html': ['air-gapped', 'offline plugin', 'plugins'],
  'guides/access.html': ['read-only user', 'rbac', 'permissions', 'api key'],
  'guides/directories.html': ['ldap groups', 'single sign-on', 'active directory', 'oidc login'],
  'guides/tls.html': ['mutual tls', 'certificate', 'agents behind a proxy', 'https'],
  'guides/why.html': ['why was nobody told', 'what if', 'debug statechart', 'not notified'],
  'guides/from-sensu-go.html': ['migrate sensu go', 'sensuctl dump'],
  'guides/from-sensu-core.html': ['migrate sensu core', 'rabbitmq redis migrate'],
  'running/production.html': ['systemd', 'put into service', 'sizing 500 agents', 'go live'],
  'running/sizing.html': ['memory', 'how many agents'],
  'running/logs.html': ['log rotation', 'log level', 'journalctl'],
  'running/alerts.html': ['prometheus', 'monitor the backend'],
  'operations.html': ['backup', 'upgrade', 'doctor'],
  'running/recovery.html': ['disaster', 'disk gone', 'restore new machine', 'lost key'],
  'running/mongodb.html': ['lmdb to mongodb', 'move to mongodb', 'replica set'],
  'cluster.html': ['standby', 'high availability', 'failover'],
};

for (const [page, queries] of Object.entries(wanted))
  for (const query of queries)
    test(`a search for "${query}" shows ${page}`, () => {
      const shown = find(index, query)
        .found.slice(0, firstResults)
        .map(({ url }) => url);
      assert.ok(
        shown.some((url) => url.split('#')[0] === page),
        shown.join('\n'),
      );
    });

test('a search without a page that has all words shows those with some of them', () => {
  const { complete, found } = find(index, 'graphite zzzzzz');
  assert.equal(complete, false);
  assert.ok(found.length > 0);
  assert.deepEqual(find(index, 'zzzzzz').found, []);
});
