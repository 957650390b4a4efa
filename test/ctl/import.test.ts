// Imports over a real backend: the reference product (from its API and from a dump), and the generation before it.
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { openProcess } from './harness.ts';
import { runHere } from './in-process.ts';

/** As the examples in the documentation of the earlier generation have them. */
const coreFiles: Readonly<Record<string, unknown>> = {
  'client.json': {
    client: {
      name: 'i-424242',
      address: '8.8.8.8',
      subscriptions: ['production', 'webserver', 'client:i-424242', 'roundrobin:proxy'],
      environment: 'production',
      disk: { warning: 75 },
      keepalive: { handlers: ['pagerduty'], thresholds: { warning: 60, critical: 120 } },
      redact: ['password'],
    },
  },
  'checks/cron.json': {
    checks: {
      cron: {
        command: 'check-process.rb -p cron',
        subscribers: ['production'],
        interval: 60,
        handler: 'pagerduty',
      },
    },
  },
  'checks/disk.json': {
    checks: {
      disk: {
        command: 'check-disk.rb -w :::disk.warning|80::: -n :::name:::',
        subscribers: ['production'],
        interval: 60,
        ttl: 120,
        occurrences: 3,
        refresh: 600,
        dependencies: ['keepalive'],
        subdue: { days: { all: [{ begin: '12:00 AM UTC', end: '11:00 AM UTC' }] } },
        hooks: { critical: { command: 'df -h', timeout: 10 } },
        team: 'ops',
      },
      metrics: {
        type: 'metric',
        command: 'metrics-cpu.rb',
        subscribers: ['roundrobin:production'],
        interval: 10,
        handlers: ['graphite'],
      },
      proxied: {
        command: 'check-http.rb',
        subscribers: ['roundrobin:proxy'],
        interval: 60,
        proxy_requests: {
          client_attributes: { keepalives: false, kind: 'website', port: 'eval: value.to_i > 80' },
        },
      },
      standalone: { command: 'true', standalone: true, cron: '0 0 * * *' },
      ruby: { extension: 'snmp', subscribers: ['production'], interval: 60 },
    },
  },
  'handlers.json': {
    handlers: {
      pagerduty: {
        type: 'pipe',
        command: 'pagerduty.rb',
        severities: ['critical', 'unknown'],
        filters: ['occurrences', 'production', 'offhours', 'missing'],
      },
      graphite: { type: 'tcp', socket: { host: '10.0.1.99', port: 2003 }, mutator: 'only_check_output' },
      default: { type: 'set', handlers: ['pagerduty', 'graphite'] },
      bus: { type: 'transport', pipe: { type: 'topic', name: 'events' } },
    },
  },
  'filters.json': {
    filters: {
      production: { attributes: { client: { environment: 'production' }, check: { team: 'ops' } } },
      offhours: {
        attributes: { check: { name: 'disk' } },
        when: { days: { all: [{ begin: '5PM UTC', end: '9AM UTC' }] } },
      },
      repeats: {
        negate: true,
        attributes: { occurrences: 'eval: value != 1 && value % 60 != 0', client: { environment: 'dev' } },
      },
      named: { attributes: { check: { name: 'eval: value =~ /^disk/ || ["a", "b"].include?(value)' } } },
      changes: { attributes: { occurrences: "eval: value == 1 || ':::action:::' == 'resolve'" } },
      foreign: { attributes: { occurrences: "eval: value == ':::settings.x:::'" } },
      clever: { attributes: { check: { status: 'eval: value.between?(1, 2)' } } },
    },
  },
  'mutators.json': {
    mutators: { tagged: { command: 'tag.rb', timeout: 5 }, only_check_output: { command: 'x' } },
  },
  'rabbitmq.json': {
    rabbitmq: { host: '10.0.1.6', password: 'secret' },
    slack: { webhook_url: 'https://example.org' },
  },
};

test('a configuration of the earlier generation is translated, and what can not be is named with the reason', async (t) => {
  const { dir, folder } = await openProcess(t);
  const core = join(folder, 'core');
  await mkdir(join(core, 'checks'), { recursive: true });
  for (const [name, content] of Object.entries(coreFiles))
    await writeFile(join(core, name), JSON.stringify(content));
  const say = (...words: string[]) =>
    runHere(['import', 'sensu-core', '--config-dir', core, ...words], { MON_CONFIG_DIR: dir });
  const output = join(folder, 'translated.yaml');
  const written = await say('-o', output);
  assert.equal(written.code, 0, written.text);
  const all = parseAllDocuments(await readFile(output, 'utf8')).map((document) => document.toJS());
  const find = (type: string, name: string) =>
    all.find((one) => one.type === type && one.metadata.name === name);
  const spec = (type: string, name: string) => find(type, name)?.spec;
  assert.deepEqual(spec('CheckConfig', 'disk'), {
    command: 'check-disk.rb -w {{ .labels.disk_warning | default "80" }} -n {{ .name }}',
    subscriptions: ['production'],
    interval: 60,
    publish: true,
    handlers: ['default'],
    ttl: 120,
    depends_on: ['keepalive'],
    check_hooks: [{ critical: ['disk-critical'] }],
    subdues: [{ begin: '2024-01-07T00:00:00Z', end: '2024-01-07T11:00:00Z', repeat: ['daily'] }],
  });
  assert.equal(find('CheckConfig', 'disk').metadata.labels.team, 'ops');
  assert.equal(spec('CheckConfig', 'metrics').round_robin, true);
  assert.deepEqual(spec('CheckConfig', 'metrics').output_metric_handlers, ['graphite']);
  assert.deepEqual(spec('CheckConfig', 'standalone').subscriptions, ['entity:i-424242']);
  assert.deepEqual(spec('CheckConfig', 'proxied').proxy_requests.entity_attributes, [
    'entity.labels.keepalives == false',
    'entity.labels.kind == "website"',
    'Number(entity.labels.port) > 80',
  ]);
  assert.deepEqual(spec('Handler', 'pagerduty').filters, [
    'is_incident',
    'not_silenced',
    'occurrences',
    'production',
    'offhours',
    'severity-critical-unknown',
  ]);
  assert.equal(spec('Handler', 'pagerduty').mutator, 'earlier_event');
  assert.deepEqual(spec('EventFilter', 'production').expressions, [
    'event.entity.labels.environment == "production"',
    'event.check.labels.team == "ops"',
  ]);
  assert.deepEqual(spec('EventFilter', 'repeats'), {
    action: 'deny',
    expressions: [
      '(event.check.occurrences != 1 && event.check.occurrences % 60 != 0) && (event.entity.labels.environment == "dev")',
    ],
  });
  assert.deepEqual(spec('EventFilter', 'changes').expressions, [
    'event.check.occurrences == 1 || (event.check.status == 0 ? "resolve" : "create") == \'resolve\'',
  ]);
  assert.equal(spec('EventFilter', 'foreign'), undefined);
  assert.deepEqual(spec('EventFilter', 'named').expressions, [
    '/^disk/.test(String(event.check.name)) || ["a", "b"].includes(event.check.name)',
  ]);
  assert.deepEqual(spec('EventFilter', 'offhours').when, {
    days: { all: [{ begin: '5:00 PM', end: '9:00 AM' }] },
  });
  assert.deepEqual(spec('Entity', 'i-424242').subscriptions, [
    'production',
    'webserver',
    'entity:i-424242',
    'proxy',
  ]);
  assert.equal(find('Entity', 'i-424242').metadata.labels.disk_warning, '75');

  const dry = await say('--dry-run');
  for (const line of [
    'check ruby: extensions in Ruby can not run here',
    'handler bus: handlers of type transport have no counterpart',
    'handler pagerduty: filter missing: no filter of this name is defined',
    'filter clever: attributes.check.status "eval: value.between?(1, 2)": the method "between?" can not be expressed',
    'filter clever: without that part it would decide otherwise',
    'client i-424242: keepalive.thresholds: agents set them',
    'rabbitmq: agents connect to the backend',
    'slack: settings of a plugin',
  ])
    assert.ok(dry.text.includes(line), `${line}\nin\n${dry.text}`);
  assert.match(dry.text, / CheckConfig +5 +5 +0 +0\n/);
  assert.doesNotMatch((await runHere(['check', 'list'], { MON_CONFIG_DIR: dir })).text, /disk/);
  assert.match((await say()).text, / CheckConfig +5 +5 +0 +0\n/);
  assert.match((await say()).text, / CheckConfig +5 +0 +0 +5\n/);
});

test('a backend of the reference product is taken over from its API; again changes nothing', async (t) => {
  const old = await openProcess(t);
  const fresh = await openProcess(t);
  const there = (...words: string[]) => runHere(words, { MON_CONFIG_DIR: old.dir });
  await there('namespace', 'create', 'web');
  await there('handler', 'create', 'mail', '--command', 'cat');
  await there(
    'check',
    'create',
    'disk',
    '-c',
    'df',
    '-i',
    '60',
    '-s',
    'linux',
    '--handlers',
    'mail',
    '--namespace',
    'web',
  );
  await there('user', 'create', 'joe', '-p', 'joe-password-1');
  await there('silenced', 'create', '-s', 'linux', '-r', 'hot', '-e', '3600');
  const key = /apikeys\/(\S+)/.exec((await there('api-key', 'grant', 'admin')).text)?.[1] ?? '';
  const env = { MON_CONFIG_DIR: fresh.dir, MON_FROM_API_KEY: key };
  const take = (...words: string[]) => runHere(['import', 'sensu-go', '--from-url', old.url, ...words], env);
  const dry = await take('--dry-run');
  assert.equal(dry.code, 0, dry.text);
  assert.match(dry.text, / Namespace +\d +1 +0 +\d\n/);
  const first = await take();
  assert.equal(first.code, 0, first.text);
  for (const line of [
    / CheckConfig +1 +1 +0 +0\n/,
    / Handler +1 +1 +0 +0\n/,
    / Silenced +1 +1 +0 +0\n/,
    /User joe: passwords can not be read back/,
    /APIKey \S+: keys can not be read back/,
  ])
    assert.match(first.text, line);
  const again = await take();
  assert.match(again.text, / CheckConfig +1 +0 +0 +1\n[\s\S]* Silenced +1 +0 +0 +1\n/);
  assert.match((await runHere(['check', 'list', '--namespace', 'web'], env)).text, /disk/);
  assert.match(
    (await runHere(['import', 'sensu-go', '--from-url', old.url], { MON_CONFIG_DIR: fresh.dir })).text,
    /give --from-api-key, --from-token/,
  );
});

test('a dump is imported as a whole or not at all, and kinds without a counterpart are named', async (t) => {
  const { dir } = await openProcess(t);
  const take = (text: string, ...words: string[]) =>
    runHere(['import', 'sensu-go', ...words], { MON_CONFIG_DIR: dir }, text);
  const hook = (name: string, namespace: string, timeout = 5) =>
    `type: HookConfig\napi_version: core/v2\nmetadata: {name: ${name}, namespace: ${namespace}}\nspec: {command: df, timeout: ${timeout}}\n`;
  const foreign =
    'type: Search\napi_version: searches/v1\nmetadata: {name: mine, namespace: default}\nspec: {resource: core.v2/Event}\n';
  const names = async (): Promise<string[]> =>
    JSON.parse((await runHere(['hook', 'list', '--format', 'json'], { MON_CONFIG_DIR: dir })).text).map(
      ({ metadata, timeout }: { metadata: { name: string }; timeout: number }) =>
        `${metadata.name} ${timeout}`,
    );
  assert.match(
    (await take(`${hook('one', 'default')}---\n${foreign}`)).text,
    / HookConfig +1 +1 [\s\S]*Search mine: there is nothing like it here/,
  );
  const config =
    'type: EntityConfig\napi_version: core/v3\nmetadata: {name: router, namespace: default, labels: {site: b}}\nspec: {entity_class: proxy, keepalive_handlers: null, subscriptions: [net]}\n';
  const tessen =
    'type: TessenConfig\napi_version: core/v2\nmetadata: {name: tessen}\nspec: {opt_out: true}\n';
  assert.match(
    (await take(`${config}---\n${tessen}`)).text,
    / Entity +1 +1 [\s\S]*TessenConfig tessen: nothing is ever sent from here/,
  );
  const router = await runHere(['entity', 'info', 'router', '--format', 'json'], { MON_CONFIG_DIR: dir });
  assert.match(router.text, /"site": ?"b"[\s\S]*"entity_class": ?"proxy"/);
  // The backend refuses the third: the change of the first and the second are taken back.
  const half = await take(
    [hook('one', 'default', 9), hook('two', 'default'), hook('three', 'nowhere')].join('---\n'),
  );
  assert.equal(half.code, 1);
  assert.match(
    half.text,
    /HookConfig three .*\nnothing was imported: 2 resources that had been written were put back/,
  );
  assert.deepEqual(await names(), ['one 5']);
  const invalid = await take([hook('four', 'default'), hook('five', 'default', 0)].join('---\n'));
  assert.match(
    invalid.text,
    /1 resources would be refused, so nothing was written; --skip-invalid[\s\S]*HookConfig five: /,
  );
  assert.deepEqual(await names(), ['one 5']);
  assert.equal(
    (await take([hook('four', 'default'), hook('five', 'default', 0)].join('---\n'), '--skip-invalid')).code,
    0,
  );
  assert.deepEqual(await names(), ['four 5', 'one 5']);
});
