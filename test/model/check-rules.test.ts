// The rules of checks: the sentences of the reference product, in its order, the first broken one told.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkConfigSchema } from '../../src/model/check/check.ts';
import { validateCheck, validateCheckConfig } from '../../src/model/check/check-rules.ts';
import { decode } from '../../src/model/schema/decode.ts';
import { bad, check, checkConfig } from './samples.ts';

type Json = Record<string, unknown>;
type Row = readonly [Json, string | RegExp];

const noNamespace = { metadata: { name: 'cpu' } };
const threshold = (fields: Json) => ({ name: 'disk', thresholds: [{ min: '1' }], ...fields });

const shared: readonly Row[] = [
  [{ metadata: { name: '', namespace: 'default' } }, 'check name must not be empty'],
  [
    { metadata: { name: 'a b', namespace: 'default' } },
    'check name cannot contain spaces or special characters',
  ],
  [{ ttl: 60 }, 'ttl must be greater than check interval'],
  [{ ttl: 30 }, 'ttl must be greater than check interval'],
  [{ runtime_assets: ['ok', ''] }, "asset's name cannot be empty"],
  [
    { runtime_assets: ['a b'] },
    "asset's name may only contain letters, forward slashes, underscores, dashes and numbers",
  ],
  [{ subscriptions: ['linux', ''] }, 'subscriptions cannot be empty strings'],
  [{ proxy_entity_name: 'a b' }, 'proxy entity name cannot contain spaces or special characters'],
  [{ proxy_requests: { splay_coverage: 101 } }, 'proxy request splay coverage must be between 0 and 100'],
  [
    { proxy_requests: { splay: true } },
    'proxy request splay coverage must be greater than 0 if splay is enabled',
  ],
  [{ proxy_requests: { entity_attributes: ['true', 'a ='] } }, /^syntax error in expression 1: /],
  [
    { output_metric_format: 'xml' },
    /^output metric format is not valid: "xml" \(use one of nagios_perfdata, graphite_plaintext, /,
  ],
  [{ low_flap_threshold: 20, high_flap_threshold: 20 }, 'invalid flap thresholds'],
  [{ env_vars: ['A=b', 'novalue'] }, 'environment variables must be of the form FOO=BAR'],
  [{ env_vars: ['=b'] }, 'environment variables must be of the form FOO=BAR'],
  [{ subdues: [{ begin: 'now', end: 'later' }] }, 'subdue 0 invalid: invalid begin time format: "now"'],
  [
    { subdues: [{ begin: '2022-04-18T17:00:00Z', end: '2022-04-18T25:00:00Z' }] },
    'subdue 0 invalid: invalid end time format: "2022-04-18T25:00:00Z"',
  ],
  [
    { subdues: [{ begin: '2022-04-18T17:00:00Z', end: '2022-04-18T24:00:00Z' }] },
    'subdue 0 invalid: invalid end time format: "2022-04-18T24:00:00Z"',
  ],
  [
    { subdue: { days: { all: [{ begin: '25:00 AM', end: '5:00 PM' }] } } },
    'subdue invalid: when.days.all: "25:00 AM" is not a time of day like "3:00 PM"',
  ],
  [{ subdue: { days: { monday: 'all day' } } }, 'subdue.days.monday must be a list (got "all day")'],
  [
    { subdues: [{ begin: '2022-04-18T17:00:00-07:00', end: '2022-04-18T16:59:59-07:00' }] },
    'subdue 0 invalid: end time must be after begin time',
  ],
  [
    {
      subdues: [
        { begin: '2022-04-18T17:00:00Z', end: '2022-04-18T18:00:00Z', repeat: ['daily'] },
        { begin: '2022-04-18T17:00:00Z', end: '2022-04-18T18:00:00Z', repeat: ['hourly'] },
      ],
    },
    /^subdue 1 invalid: invalid repeat period: hourly \(use annually, monthly, /,
  ],
  [
    { pipelines: [{ name: 'p' }], fallback_pipeline: { name: 'f' } },
    'cannot have both pipelines and fallback_pipeline defined at the same time',
  ],
  [
    { pipelines: [{ name: 'p', type: 'Handler' }] },
    'pipeline reference is invalid: resource type not capable of acting as a pipeline: core/v2.Handler',
  ],
];

/** What the reference product keeps in a definition and refuses in an event. */
const posted: readonly Row[] = [
  [{ max_output_size: -1 }, 'MaxOutputSize must be >= 0'],
  [
    { output_metric_thresholds: [threshold({}), threshold({ name: '' })] },
    'invalid metric threshold 1: metric threshold name must not be empty',
  ],
  [
    { output_metric_thresholds: [threshold({ thresholds: [] })] },
    'invalid metric threshold 0: there must be at least one threshold rule',
  ],
  [
    { output_metric_thresholds: [threshold({ thresholds: [{ min: '1' }, { status: 1 }] })] },
    'invalid metric threshold 0: rule 1: One of Min or Max required',
  ],
  [
    { output_metric_thresholds: [threshold({ thresholds: [{ min: 'x' }] })] },
    'invalid metric threshold 0: rule 0: Min must be a floating point number',
  ],
  [
    { output_metric_thresholds: [threshold({ thresholds: [{ max: 'x' }] })] },
    'invalid metric threshold 0: rule 0: Max must be a floating point number',
  ],
  [
    { output_metric_thresholds: [threshold({ tags: [{ name: 'dev', value: '' }] })] },
    'invalid metric threshold 0: tag 0: metric threshold tag value must not be empty',
  ],
  [{ interval: 1, ttl: 4 }, 'minimum ttl is 5 seconds'],
];

const definitions: readonly Row[] = [
  ...shared,
  [{ cron: '* * * * *' }, 'must only specify either an interval or a cron schedule'],
  [{ interval: 0, cron: 'every so often' }, /^check cron string is invalid: /],
  [{ interval: 0 }, 'check interval must be greater than 0 or a valid cron schedule must be provided'],
  [noNamespace, 'namespace must be set'],
  [{ interval: 0, cron: '0 0 L * *' }, /^check cron string is invalid: day of month "L" is not a number$/],
  [{ interval: 0, cron: '0 0 * * 7' }, /^check cron string is invalid: day of week 7 is not within 0-6$/],
  [{ command: '' }, 'check command must be set: it is what agents run'],
  [{ command: ' ' }, 'check command must be set: it is what agents run'],
];

const results: readonly Row[] = [
  ...shared,
  [{ publish: true, cron: '* * * * *' }, 'must only specify either an interval or a cron schedule'],
  [{ publish: true, interval: 0, cron: '61 * * * *' }, /^check cron string is invalid: /],
  [{ publish: true, interval: 0 }, 'check interval must be greater than or equal to 1'],
  [{ status: 4_294_967_296 }, 'check.status must be at most 4294967295 (got 4294967296)'],
];

const expectFault = (found: string | null, wanted: string | RegExp, given: Json): void => {
  if (typeof wanted === 'string') assert.equal(found, wanted, JSON.stringify(given));
  else assert.match(found ?? '', wanted, JSON.stringify(given));
};

test('each failing rule of a definition has its own message', () => {
  for (const [fields, wanted] of definitions) {
    expectFault(validateCheckConfig(checkConfig(fields)), wanted, fields);
  }
});

test('each failing rule of a result has its own message', () => {
  for (const [fields, wanted] of results) expectFault(validateCheck(check(fields)), wanted, fields);
});

test('three rules are asked of results alone, and not where the definition breaks the same one', () => {
  for (const [fields, wanted] of posted) {
    const definition = checkConfig(fields);
    assert.equal(validateCheckConfig(definition), null, JSON.stringify(fields));
    expectFault(validateCheck(check(fields)), wanted, fields);
    expectFault(
      validateCheck(check(fields), () => checkConfig()),
      wanted,
      fields,
    );
    assert.equal(
      validateCheck(check(fields), () => definition),
      null,
      JSON.stringify(fields),
    );
  }
});

test('the first of several failing rules is reported', () => {
  const fields = [
    { metadata: { name: 'a b' } },
    { interval: 60, cron: '* * * * *' },
    noNamespace,
    { ttl: 1 },
    { runtime_assets: [''] },
    { subscriptions: [''] },
    { proxy_entity_name: 'a b' },
    { proxy_requests: { splay_coverage: 101 } },
    { output_metric_format: 'xml' },
    { low_flap_threshold: 2, high_flap_threshold: 1 },
    { env_vars: ['x'] },
    { subdues: [{}] },
    { command: '' },
  ];
  const told = new Set<string>();
  while (fields.length > 0) {
    const namespaced = fields.includes(noNamespace)
      ? {}
      : { metadata: { name: 'cpu', namespace: 'default' } };
    const broken = Object.assign({}, ...[...fields].reverse(), namespaced);
    const named = fields[0] && 'metadata' in fields[0] ? { metadata: fields[0].metadata } : {};
    told.add(validateCheckConfig(checkConfig({ ...broken, ...named })) ?? 'nothing');
    fields.shift();
  }
  assert.equal(told.size, 13, [...told].join('\n'));
  assert.equal(told.has('nothing'), false);
});

test('good definitions pass at the edges of every rule', () => {
  for (const fields of [
    {},
    { ttl: 61 },
    { interval: 0, cron: '*/5 * * * *' },
    { interval: 0, cron: 'TZ=Europe/Berlin 0 9 * * MON-FRI' },
    { interval: 0, cron: '@every 90s' },
    { interval: 0, cron: '@daily' },
    { proxy_requests: { splay: true, splay_coverage: 100, entity_attributes: ["entity.name == 'x'"] } },
    { low_flap_threshold: 19, high_flap_threshold: 20 },
    { low_flap_threshold: 20 },
    { env_vars: ['A=b=c'] },
    { output_metric_format: 'nagios_perfdata' },
    { output_metric_thresholds: [threshold({ tags: [{ name: 'dev', value: 'sda' }] })] },
    { check_hooks: [{ '0': ['a'] }, { '255': ['a'] }, { 'non-zero': ['a', 'b'] }] },
    { check_hooks: [{ '256': ['a'] }, { '01': ['a'] }, { critical: [] }, { critical: null }, {}] },
    { subdue: { days: { all: [{ begin: '5:00 PM', end: '8:00 AM' }] } } },
    { subdue: {} },
    {
      subdues: [
        { begin: '2022-04-18T17:00:00-07:00', end: '2022-04-19T08:00:00-07:00', repeat: ['mondays'] },
      ],
    },
    { runtime_assets: ['acme/check-cpu:1.0'] },
  ]) {
    assert.equal(validateCheckConfig(checkConfig(fields)), null, JSON.stringify(fields));
  }
});

test('a result posted by hand needs neither interval nor cron nor namespace', () => {
  assert.equal(validateCheck(check({ interval: 0, metadata: { name: 'cpu' } })), null);
  assert.equal(validateCheck(check({ interval: 1, ttl: 5 })), null);
  assert.equal(validateCheck(check({ status: 4_294_967_295 })), null);
});

test('values of the wrong type are reported with the field and the received value', () => {
  const told = (fields: Json) =>
    bad(decode(checkConfigSchema, { metadata: { name: 'c' }, ...fields }, 'check'));
  assert.equal(told({ interval: -5 }), 'check.interval must be a whole number, 0 or more (got -5)');
  assert.equal(
    told({ interval: 4_294_967_296 }),
    'check.interval must be at most 4294967295 (got 4294967296)',
  );
  assert.equal(told({ interval: 1.5 }), 'check.interval must be a whole number, 0 or more (got 1.5)');
  assert.equal(told({ interval: '60' }), 'check.interval must be a whole number, 0 or more (got "60")');
  assert.equal(told({ ttl: 'long' }), 'check.ttl must be an integer (got "long")');
  assert.equal(told({ publish: 'yes' }), 'check.publish must be true or false (got "yes")');
  assert.equal(told({ handlers: 'slack' }), 'check.handlers must be a list of strings (got "slack")');
  assert.equal(told({ handlers: [1] }), 'check.handlers must be a list of strings (got [1])');
  assert.equal(told({ command: { a: 1 } }), 'check.command must be a string (got {"a":1})');
  assert.equal(
    told({ metadata: { name: 'c', labels: { a: 1 } } }),
    'check.metadata.labels must be a map of strings to strings (got {"a":1})',
  );
  assert.equal(told({ subdues: [{ begin: 5 }] }), 'check.subdues[0].begin must be a string (got 5)');
  assert.equal(told({ proxy_requests: 7 }), 'check.proxy_requests must be an object (got 7)');
  assert.match(told({ command: ['x'.repeat(500)] }), /^check\.command must be a string \(got .{60}\.\.\.\)$/);
});

test('null reads as the empty value, everywhere', () => {
  const nulls = Object.fromEntries(Object.keys(checkConfig()).map((key) => [key, null]));
  const decoded = decode(checkConfigSchema, nulls, 'check');
  assert.deepEqual(decoded, {
    ok: true,
    value: { ...checkConfigSchema.parse({}), command: '' },
  });
});
