import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveConfig } from '../../src/agent/config.ts';
import { agentFlags } from '../../src/agent/flags.ts';
import { environmentName, SettingsError } from '../../src/program/resolve.ts';

const missing = () => {
  throw Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT' });
};
const resolve = (
  flags: Record<string, string[]> = {},
  environment: Record<string, string> = {},
  file?: string,
) => resolveConfig({ flags, environment, readFile: file === undefined ? missing : () => file });
const failure = (...given: Parameters<typeof resolve>): string => {
  try {
    resolve(...given);
  } catch (error) {
    assert.ok(error instanceof SettingsError);
    return error.message;
  }
  return 'no failure';
};

test('the defaults are those of the interface', () => {
  const { config, warnings } = resolve({ name: ['a'] });
  assert.deepEqual(warnings, []);
  assert.deepEqual(
    [config.apiPort, config.socketPort, config.statsdMetricsPort, config.keepaliveInterval],
    [3031, 3030, 8125, 20],
  );
  assert.deepEqual(
    [
      config.keepaliveWarningTimeout,
      config.logLevel,
      config.namespace,
      config.eventsRateLimit,
      config.eventsBurstLimit,
    ],
    [120, 'warn', 'default', 10, 10],
  );
  assert.deepEqual(config.backendUrl, ['ws://127.0.0.1:8081']);
  assert.equal(config.redact.length, 9);
});

test('a flag wins over the environment, the environment over the file, the file over the default', () => {
  const file = 'namespace: file\nuser: file\nlog-level: error\n';
  const { config } = resolve({ namespace: ['flag'] }, { MON_NAMESPACE: 'env', MON_USER: 'env' }, file);
  assert.deepEqual([config.namespace, config.user, config.logLevel], ['flag', 'env', 'error']);
});

test('an empty variable counts as not set', () => {
  assert.equal(resolve({}, { MON_NAMESPACE: '' }).config.namespace, 'default');
});

test('lists are parted by commas or blanks, repeated, or YAML lists', () => {
  assert.deepEqual(resolve({ subscriptions: ['a,b', 'c'] }).config.subscriptions, ['a', 'b', 'c']);
  assert.deepEqual(resolve({}, { MON_SUBSCRIPTIONS: 'a b,c' }).config.subscriptions, ['a', 'b', 'c']);
  assert.deepEqual(resolve({}, {}, 'subscriptions: [a, "b,c"]').config.subscriptions, ['a', 'b', 'c']);
});

test('maps are pairs, JSON, or YAML, and keep the case of their keys', () => {
  const expected = { Region: 'us', note: 'a,b=c' };
  assert.deepEqual(
    { ...resolve({ annotations: ['Region=us', 'note=a,b=c'] }).config.annotations },
    { Region: 'us', note: 'a', b: 'c' },
  );
  assert.deepEqual(
    { ...resolve({}, { MON_ANNOTATIONS: JSON.stringify(expected) }).config.annotations },
    expected,
  );
  assert.deepEqual(
    { ...resolve({}, {}, 'annotations: {Region: us, note: "a,b=c"}').config.annotations },
    expected,
  );
});

test('a map key may be called anything and poisons nothing', () => {
  const { annotations } = resolve({}, {}, 'annotations: {__proto__: x, constructor: y}').config;
  assert.deepEqual(Object.keys(annotations).sort(), ['__proto__', 'constructor']);
  assert.equal(({} as Record<string, unknown>).x, undefined);
});

test('durations need a unit', () => {
  assert.equal(resolve({ 'retry-min': ['1m30s'] }).config.retryMin, 90_000);
  assert.match(failure({ 'retry-min': ['10'] }), /^retry-min must be a duration such as 1s/);
});

test('an invalid value is reported with its source and reason', () => {
  assert.equal(
    failure({}, { MON_KEEPALIVE_INTERVAL: '-5' }),
    'keepalive-interval must be a positive integer (got "-5" from environment variable MON_KEEPALIVE_INTERVAL)',
  );
  assert.equal(
    failure({}, {}, 'api-port: 65536'),
    'api-port must be an integer from 0 to 65535 (got 65536 from /etc/mon/agent.yml, key api-port)',
  );
  assert.match(
    failure({ 'log-level': ['loud'] }),
    /^log-level must be one of panic, fatal, .* from flag --log-level\)$/,
  );
  assert.match(failure({ labels: ['a-b=c'] }), /^labels has an invalid key "a-b"/);
});

test('a wrong password is never shown', () => {
  assert.equal(failure({}, {}, 'password: [hunter2]').includes('hunter2'), false);
});

const rules: readonly (readonly [Record<string, string[]>, string | RegExp])[] = [
  [
    { 'keepalive-critical-timeout': ['100'], 'keepalive-warning-timeout': ['120'] },
    'if set, --keepalive-critical-timeout must be greater than --keepalive-warning-timeout',
  ],
  [
    { 'keepalive-timeout': ['4'], 'keepalive-interval': ['1'] },
    'bad keepalive timeout: 4 (minimum value is 5 seconds)',
  ],
  [{ 'keepalive-timeout': ['20'] }, 'keepalive warning timeout must be greater than keepalive interval'],
  [{ name: ['a b'] }, /^invalid agent name: cannot contain spaces or special characters/],
  [{ 'backend-url': ['http://x'] }, 'backend URL (http://x) must have ws:// or wss:// scheme'],
  [{ 'backend-url': [''] }, 'no backend URLs defined: set --backend-url'],
  [{ 'backend-url': ['ws://u:p@x'] }, /must not contain a user or password/],
  [{ 'cert-file': ['a.pem'] }, '--cert-file and --key-file must be set together'],
];
for (const [flags, message] of rules)
  test(`settings that make no sense together are refused: ${Object.keys(flags).join(', ')} ${JSON.stringify(message)}`, () => {
    if (typeof message === 'string') assert.equal(failure(flags), message);
    else assert.match(failure(flags), message);
  });

test('a backend URL without a port gets 8081, one with any port keeps it', () => {
  const urls = ['ws://a', 'wss://[::1]', 'ws://b:80', 'wss://c:443/agents'];
  assert.deepEqual(resolve({ 'backend-url': urls }).config.backendUrl, [
    'ws://a:8081',
    'wss://[::1]:8081',
    'ws://b:80',
    'wss://c:443/agents',
  ]);
});

test('a heartbeat timeout that is not above its interval is mended with a warning', () => {
  const { config, warnings } = resolve({ 'backend-heartbeat-interval': ['60'] });
  assert.equal(config.backendHeartbeatTimeout, 100);
  assert.match(warnings[0] ?? '', /backend-heartbeat-timeout/);
});

test('older names still work and are warned about; unknown keys too', () => {
  const { config, warnings } = resolve({}, {}, 'id: old-name\nNamespace: Prod\nbogus: 1\n');
  assert.deepEqual([config.name, config.namespace], ['old-name', 'Prod']);
  assert.deepEqual(warnings, [
    'config attribute id has been deprecated, please use name instead',
    'unknown key bogus in /etc/mon/agent.yml is ignored; run mon-agent start --help for the list of keys',
  ]);
});

test('nested keys of a file are read as flags; a flat key wins, and unknown keys are reported', () => {
  const file =
    'api: {host: 0.0.0.0, Port: 4031, colour: red}\napi-host: 127.0.0.2\nsocket:\n  port: 4030\nlabels: {tier: web}\n';
  const { config, warnings } = resolve({}, {}, file);
  assert.deepEqual([config.apiHost, config.apiPort, config.socketPort], ['127.0.0.2', 4031, 4030]);
  assert.deepEqual({ ...config.labels }, { tier: 'web' });
  assert.deepEqual(warnings, [
    'unknown key api.colour in /etc/mon/agent.yml is ignored; run mon-agent start --help for the list of keys',
  ]);
  assert.match(failure({}, {}, 'api: {port: many}\n'), /^api-port .* \/etc\/mon\/agent.yml, key api-port/);
});

test('a file that was asked for must be there and be YAML; one at the default place may be missing', () => {
  assert.match(failure({ 'config-file': ['/nope.yml'] }), /^cannot read the configuration file \/nope.yml/);
  assert.match(failure({}, { MON_CONFIG_FILE: '/nope.yml' }), /^cannot read the configuration file/);
  assert.match(failure({}, {}, 'a: [b'), /is not valid YAML/);
  assert.match(failure({}, {}, '- a'), /must be a map of settings to values/);
});

test('every flag has a variable and a sentence of help', () => {
  for (const [name, flag] of Object.entries(agentFlags)) {
    assert.match(environmentName('MON_', name), /^MON_[A-Z_]+$/);
    assert.ok(flag.help.length > 5);
  }
});
