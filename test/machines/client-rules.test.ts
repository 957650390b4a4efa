// What clients of the earlier generation say and are told, message by message.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientEntity, reportedEntity } from '../../src/machines/client/client-entity-rule.ts';
import { handlersOf, resultEvent } from '../../src/machines/client/client-event-rule.ts';
import {
  keepaliveResult,
  readKeepalive,
  readResult,
  registrationResult,
} from '../../src/machines/client/client-registry-rule.ts';
import {
  checkDefinition,
  checkRequest,
  completedResult,
  matchesClient,
  proxyRequest,
  requestedHooks,
  requestPipe,
} from '../../src/machines/client/client-request-rule.ts';
import { firstRunDelayMs } from '../../src/machines/client/client-schedule-rule.ts';
import { checkConfigSchema } from '../../src/model/check/check.ts';
import { hookConfigSchema } from '../../src/model/check/hook.ts';
import { attributesAnnotation, clientLabel } from '../../src/model/earlier/attributes.ts';
import { tokenPathsAnnotation, tokenPathsOf, tokensOfToday } from '../../src/model/earlier/tokens.ts';

const entity = clientEntity({ name: 'c1', subscriptions: ['web'], custom: { a: 1 } }, 'default');

describe('the earlier generation: messages', () => {
  it('reads keepalives, and says why not', () => {
    const read = readKeepalive({ name: 'c1', subscriptions: ['web', 'web', 1] });
    assert.deepEqual(read, {
      ok: true,
      name: 'c1',
      record: { name: 'c1', subscriptions: ['web', 'client:c1'] },
    });
    for (const wrong of [
      null,
      [],
      'x',
      {},
      { name: 'a/b', subscriptions: [] },
      { name: 'c1' },
      { name: '..', subscriptions: [] },
      { name: 'c1', subscriptions: Array.from({ length: 1_025 }, (_, at) => `s${at}`) },
      { name: 'c1', subscriptions: ['s'.repeat(257)] },
    ])
      assert.equal(readKeepalive(wrong).ok, false);
  });

  it('reads results, for their sender or the source they name', () => {
    const check = { name: 'cpu', output: 'x', status: 0 };
    const plain = readResult({ client: 'c1', check, signature: '' });
    assert.ok(plain.ok && plain.target === 'c1' && !plain.isProxy && plain.signature === '');
    const proxied = readResult({ client: 'c1', check: { ...check, source: 'sw-1' }, signature: 'S' });
    assert.ok(proxied.ok && proxied.target === 'sw-1' && proxied.isProxy && proxied.signature === 'S');
    const wrong: readonly unknown[] = [
      null,
      { client: 'c1' },
      { client: 'a b', check },
      { client: 'c1', check: { ...check, name: 'a/b' } },
      { client: 'c1', check: { ...check, output: 1 } },
      { client: 'c1', check: { ...check, status: 'x' } },
      { client: 'c1', check: { ...check, executed: 'x' } },
      { client: 'c1', check: { ...check, executed: 1e300 } },
      { client: 'c1', check: { ...check, issued: 1.5 } },
      { client: 'c1', check: { ...check, duration: '1' } },
      { client: 'c1', check: { ...check, ttl: '60' } },
      { client: 'c1', check: { ...check, handlers: 'mail' } },
      { client: 'c1', check: { ...check, source: '../x' } },
    ];
    for (const message of wrong) assert.equal(readResult(message).ok, false);
  });

  it('announces registrations and keepalives with what the client asks for', () => {
    const registration = registrationResult({ registration: { handler: 'r', name: 'no', x: 1 } }, 5_000);
    assert.deepEqual(registration, {
      handler: 'r',
      status: 1,
      x: 1,
      name: 'registration',
      output: 'new client registration',
      issued: 5,
      executed: 5,
    });
    const alive = keepaliveResult(
      { keepalive: { handlers: ['a'], refresh: 9 } },
      { status: 0, output: 'o', nowMs: 5_000 },
      'keepalive',
    );
    assert.deepEqual(handlersOf(alive), ['a']);
    assert.equal(alive['refresh'], 9);
  });

  it('fills in the tokens of a keepalive check; one that nobody can fill is a warning at least', () => {
    const silent = { status: 0, output: 'o', nowMs: 5_000 };
    const record = {
      site: 'hh',
      keepalive: { source: 'rack-:::site:::', note: ':::a|b:::', thresholds: { warning: 40 } },
    };
    const filled = keepaliveResult(record, silent, 'default');
    assert.deepEqual([filled['source'], filled['note']], ['rack-hh', 'b']);
    assert.deepEqual(filled['thresholds'], { warning: 40, critical: 180 });
    const unmatched = keepaliveResult({ keepalive: { a: ':::x:::', b: ':::y.z:::' } }, silent, 'default');
    assert.deepEqual(
      [unmatched['status'], unmatched['output']],
      [1, 'o - Unmatched client token(s): x, y.z'],
    );
    const critical = keepaliveResult({ keepalive: { a: ':::x:::' } }, { ...silent, status: 2 }, 'default');
    assert.equal(critical['status'], 2);
  });

  it('picks handlers: handlers, else handler, else default; nobody when it is not to be handled', () => {
    assert.deepEqual(handlersOf({ handlers: ['a'], handler: 'b' }), ['a']);
    assert.deepEqual(handlersOf({ handler: 'b' }), ['b']);
    assert.deepEqual(handlersOf({}), ['default']);
    assert.deepEqual(handlersOf({ handle: false, handler: 'b' }), []);
  });

  it('leaves the handlers of a definition without any to the result', () => {
    const plain = checkConfigSchema.parse({ metadata: { name: 'cpu' }, command: 'true', interval: 10 });
    assert.ok(!('handlers' in checkRequest(plain, 7)) && !('handlers' in checkDefinition(plain)));
    const sent = { name: 'cpu', output: '', status: 1 };
    assert.deepEqual(handlersOf(completedResult(sent, plain, {})), ['default']);
    const pipelines = [{ name: 'p', type: 'Pipeline', api_version: 'core/v2' }];
    assert.deepEqual(handlersOf(completedResult(sent, { ...plain, pipelines }, {})), []);
    assert.deepEqual(checkRequest({ ...plain, pipelines }, 7)['handlers'], []);
  });

  it('sends the hooks of a definition along, one a status', () => {
    const hook = (name: string) =>
      hookConfigSchema.parse({
        metadata: { name },
        command: `run ${name}`,
        timeout: 5,
        stdin: name === 'ps',
      });
    const find = (name: string) => (name === 'gone' ? undefined : hook(name));
    const config = checkConfigSchema.parse({
      metadata: { name: 'cpu', annotations: { [attributesAnnotation]: '{"hooks":{"2":{"command":"own"}}}' } },
      check_hooks: [{ critical: ['gone', 'ps', 'top'] }, { 'non-zero': ['df'] }, { critical: ['late'] }],
    });
    assert.deepEqual(requestedHooks(config, find), {
      hooks: {
        '2': { command: 'own' },
        critical: { command: 'run ps', timeout: 5, stdin: true },
        'non-zero': { command: 'run df', timeout: 5 },
      },
    });
    assert.deepEqual(requestedHooks(checkConfigSchema.parse({ metadata: { name: 'x' } }), find), {});
  });

  it('never lets a strange status look like OK', () => {
    for (const [status, expected] of [
      [-1, 3],
      [300, 255],
      [1e300, 255],
      [0, 0],
    ]) {
      const event = resultEvent({ name: 'a', output: '', status }, entity, 'c1', { nowMs: 0, id: 'x' });
      assert.equal(event.check.status, expected);
    }
  });

  it('puts requests into the pipes of the earlier generation', () => {
    assert.deepEqual(['web', 'entity:c1', 'direct:x'].map(requestPipe), [
      { type: 'fanout', name: 'web' },
      { type: 'fanout', name: 'client:c1' },
      { type: 'direct', name: 'direct:x' },
    ]);
    const config = checkConfigSchema.parse({
      metadata: { name: 'cpu', annotations: { [attributesAnnotation]: '{"refresh":60}' } },
      command: 'true',
      interval: 10,
      subscriptions: ['web'],
      handlers: ['mail'],
      proxy_entity_name: 'sw-1',
    });
    assert.deepEqual(checkRequest(config, 7), {
      publish: false,
      refresh: 60,
      command: 'true',
      source: 'sw-1',
      handlers: ['mail'],
      name: 'cpu',
      issued: 7,
    });
  });

  it('completes a result with the definition here; what the result says wins', () => {
    const config = checkConfigSchema.parse({
      metadata: { name: 'cpu', annotations: { [attributesAnnotation]: '{"aggregate":"web","refresh":60}' } },
      command: 'check :::name:::',
      interval: 10,
      subscriptions: ['web'],
      handlers: ['mail'],
      proxy_entity_name: 'sw-1',
    });
    const sent = { name: 'cpu', output: 'x', status: 1, command: 'check c1', refresh: 5 };
    const complete = completedResult(sent, config, {});
    assert.deepEqual(complete, {
      ...sent,
      aggregate: 'web',
      handlers: ['mail'],
      subscribers: ['web'],
      interval: 10,
    });
    assert.equal(completedResult(sent, config, { type: 'proxy' })['command'], 'check :::name:::');
    assert.deepEqual(handlersOf(completedResult({ ...sent, handler: 'own' }, config, {})), ['own']);
    assert.deepEqual(completedResult(sent, undefined, {}), sent);
    const standalone = { ...sent, standalone: true };
    assert.deepEqual(completedResult(standalone, config, {}), standalone);
  });

  it('asks for proxies whose attributes match, with their tokens filled in', () => {
    const record = { name: 'sw-1', type: 'switch', snmp: { port: 161, community: 'public' } };
    for (const [wanted, matches] of [
      [{}, true],
      [{ type: 'switch', snmp: { port: '161' } }, true],
      [{ type: 'router' }, false],
      [{ snmp: { port: 162 } }, false],
      [{ nothing: 'x' }, false],
      [{ type: 'eval: value == "switch"' }, false],
    ] as const)
      assert.equal(matchesClient(wanted, record), matches, JSON.stringify(wanted));
    const made = proxyRequest({ name: 'up', command: 'ping :::name::: :::snmp.port:::' }, record);
    assert.deepEqual(made, { ok: true, request: { source: 'sw-1', name: 'up', command: 'ping sw-1 161' } });
    const own = proxyRequest({ name: 'up', command: 'x', source: 'other' }, record);
    assert.ok(own.ok && own.request['source'] === 'other');
    assert.deepEqual(proxyRequest({ command: ':::rack:::' }, record), { ok: false, unmatched: ['rack'] });
  });

  it('splays standalone checks like the reference product', () => {
    const nowMs = 1_414_213_569_032;
    assert.equal(firstRunDelayMs('i-424242:test', 60, nowMs), 3_321);
    assert.equal(firstRunDelayMs('i-424242:test', 3_600, nowMs), 783_321);
    assert.equal(firstRunDelayMs('test', 60, nowMs), 17_601);
    assert.equal(firstRunDelayMs('test', 3_600, nowMs), 3_497_601);
  });
});

describe('the earlier generation: what filters, selectors and tokens of today read', () => {
  it('a command that was translated for agents goes to clients with tokens of their own form', () => {
    const old = 'check -w :::disk.warning|80::: -n :::name::: -e :::env:::';
    const command = tokensOfToday(old);
    assert.equal(
      command,
      'check -w {{ .labels.disk_warning | default "80" }} -n {{ .name }} -e {{ .labels.env }}',
    );
    const annotations = { [tokenPathsAnnotation]: JSON.stringify(tokenPathsOf(old)) };
    const config = checkConfigSchema.parse({ metadata: { name: 'disk', annotations }, command });
    assert.equal(checkRequest(config, 7)['command'], old);
    // Without the annotation the attribute has the name of the label.
    const plain = checkConfigSchema.parse({ metadata: { name: 'disk' }, command });
    assert.equal(checkRequest(plain, 7)['command'], old.replace('disk.warning', 'disk_warning'));
    const template = 'echo {{ .system.os | printf "%s" }} :::name:::';
    const untouched = checkConfigSchema.parse({ metadata: { name: 'x' }, command: template });
    assert.equal(checkRequest(untouched, 7)['command'], template);
    const hook = hookConfigSchema.parse({
      metadata: { name: 'h', annotations },
      command: 'df {{ .labels.disk_warning }}',
    });
    const hooked = checkConfigSchema.parse({ metadata: { name: 'x' }, check_hooks: [{ critical: ['h'] }] });
    assert.deepEqual(
      requestedHooks(hooked, () => hook),
      { hooks: { critical: { command: 'df :::disk.warning:::' } } },
    );
  });

  it('attributes of clients and results are labels; those of an operator win, and what a client no longer says goes', () => {
    const report = (record: object, isMadeUp = false) =>
      ({ record: { name: 'c1', subscriptions: [], ...record }, heardAtMs: 1_000, isMadeUp }) as never;
    const first = reportedEntity(
      null,
      report({ environment: 'dev', disk: { warning: 91 }, keepalive: { handler: 'x' } }),
      'default',
    );
    assert.deepEqual(first.metadata.labels, {
      [clientLabel]: 'true',
      environment: 'dev',
      disk_warning: '91',
    });
    const edited = {
      ...first,
      metadata: { ...first.metadata, labels: { ...first.metadata.labels, environment: 'prod', team: 'ops' } },
    };
    const second = reportedEntity(edited, report({ environment: 'dev' }), 'default');
    assert.deepEqual(second.metadata.labels, { [clientLabel]: 'true', environment: 'prod', team: 'ops' });
    const madeUp = reportedEntity(first, report({}, true), 'default');
    assert.equal(madeUp.metadata.labels?.['environment'], 'dev');
    const result = { name: 'cpu', output: 'x', status: 2, team: 'ops', occurrences: 3, handlers: ['mail'] };
    const { check } = resultEvent(result as never, entity, 'c1', { nowMs: 1_000, id: 'i' } as never);
    assert.deepEqual(check.metadata.labels, { team: 'ops', occurrences: '3' });
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`a${at}`, at]));
    let deep: object = { end: 1 };
    for (let at = 0; at < 60; at += 1) deep = { a: deep };
    const bounded = clientEntity({ name: 'c', subscriptions: [], deep, ...many }, 'default');
    assert.equal(Object.keys(bounded.metadata.labels ?? {}).length, 257);
  });
});
