import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  aliveEvent,
  firstTimeoutMs,
  goTime,
  judgeSilence,
  nextWaitMs,
  patienceOf,
  registrationEvent,
  silentEvent,
} from '../../src/machines/entity/keepalive-rule.ts';
import {
  decideRegistration,
  heardEntity,
  isManagedByAgent,
} from '../../src/machines/entity/registration-rule.ts';
import { sampleKeepalive } from './samples.ts';

const patience = (timeout: number, ttl: number) => patienceOf(sampleKeepalive({ check: { timeout, ttl } }));

describe('patience with a silent agent', () => {
  const cases: readonly [number, number, number | null, number | null][] = [
    [120, 0, 120, null],
    [0, 0, 120, null],
    [120, 180, 120, 180],
    [0, 240, null, 240],
    [1, 2, 5, 5],
  ];
  for (const [timeout, ttl, warning, critical] of cases) {
    it(`is ${warning}/${critical} s for timeout ${timeout} and ttl ${ttl}`, () =>
      assert.deepEqual(patience(timeout, ttl), { warning, critical }));
  }

  it('ends first at the shorter of the two', () => {
    assert.equal(firstTimeoutMs(patience(120, 60)), 60_000);
    assert.equal(firstTimeoutMs(patience(0, 240)), 240_000);
  });
});

describe('judging silence', () => {
  const both = patience(120, 180);
  const cases: readonly [number, string, number][] = [
    [120, 'warning', 120],
    [179, 'warning', 120],
    [180, 'critical', 180],
    [900, 'critical', 180],
  ];
  for (const [seconds, level, threshold] of cases) {
    it(`of ${seconds} s is ${level}`, () => {
      assert.deepEqual(judgeSilence(both, seconds * 1000), { level, seconds, threshold });
    });
  }

  it('is critical at once without a warning stage', () =>
    assert.equal(judgeSilence(patience(0, 240), 240_000).level, 'critical'));

  it('comes again at the critical timeout exactly, then every warning timeout', () => {
    assert.equal(nextWaitMs(both, 120_000), 60_000);
    assert.equal(nextWaitMs(both, 180_000), 120_000);
    assert.equal(nextWaitMs(patience(120, 0), 120_000), 120_000);
    assert.equal(nextWaitMs(patience(0, 240), 240_000), 240_000);
    assert.equal(nextWaitMs(patience(120, 600), 120_000), 120_000);
  });
});

describe('keepalive events', () => {
  const keepalive = sampleKeepalive({
    check: { timeout: 0, interval: 0, ttl: 0 },
    event: {
      sequence: 7,
      metadata: { labels: { a: 'b' } },
      pipelines: [{ name: 'p' }],
      timestamp: 1_617_050_501,
    },
  });
  const entity = { ...keepalive.entity, last_seen: 1_617_050_501 };

  it('say when the agent was heard of', () => {
    const event = aliveEvent(entity, keepalive, 1_700_000_000_500, 'new-id');
    assert.equal(event.check.output, 'Keepalive last sent from web-01 at 2021-03-29 20:41:41 +0000 UTC');
    const { TZ } = process.env;
    process.env['TZ'] = 'Asia/Kolkata';
    try {
      assert.equal(goTime(0), '1970-01-01 00:00:00 +0000 UTC', 'wherever the backend runs');
    } finally {
      if (TZ === undefined) delete process.env['TZ'];
      else process.env['TZ'] = TZ;
    }
    assert.deepEqual(
      [event.id, event.sequence, event.timestamp, event.metadata.labels, event.pipelines?.[0]?.name],
      ['new-id', 7, 1_700_000_000, { a: 'b' }, 'p'],
    );
    const { check } = event;
    assert.deepEqual(
      [check.metadata, check.interval, check.timeout, check.ttl, check.handlers, check.status],
      [{ name: 'keepalive', namespace: 'default' }, 20, 120, 0, ['keepalive'], 0],
    );
    assert.deepEqual([check.executed, check.issued], [1_700_000_000, 1_700_000_000]);
  });

  it('go to the handlers the entity names, if it names any', () => {
    const handled = { ...entity, keepalive_handlers: ['pager'] };
    assert.deepEqual(aliveEvent(handled, keepalive, 0, 'x').check.handlers, ['pager']);
    assert.deepEqual(aliveEvent({ ...entity, keepalive_handlers: [] }, keepalive, 0, 'x').check.handlers, [
      'keepalive',
    ]);
  });

  it('say how long nothing was heard', () => {
    const silence = { level: 'critical', seconds: 181, threshold: 180 } as const;
    const { check } = silentEvent(entity, keepalive, silence, 0, 'x');
    assert.deepEqual(
      [check.status, check.output],
      [2, 'No keepalive sent from web-01 for 181 seconds (>= 180)'],
    );
    assert.equal(silentEvent(entity, keepalive, { ...silence, level: 'warning' }, 0, 'x').check.status, 1);
  });

  it('announce a registration once, as an incident for the handler of that name', () => {
    const event = registrationEvent(entity, 1_700_000_000_999);
    assert.deepEqual(
      [event.timestamp, event.id, event.sequence, event.pipelines, event.metadata],
      [1_700_000_000, null, 0, [], { namespace: 'default' }],
    );
    const { check } = event;
    assert.deepEqual(
      [check?.metadata, check?.interval, check?.status, check?.handlers, check?.history, check?.state],
      [{ name: 'registration', namespace: 'default' }, 1, 1, ['registration'], null, ''],
    );
  });
});

describe('registration', () => {
  const managed = {
    metadata: { name: 'web-01', namespace: 'default', labels: { 'mon.io/managed_by': 'mon-agent' } },
  };
  const plain = sampleKeepalive().entity;
  const own = sampleKeepalive({ entity: managed }).entity;
  const heard = (entity: object, sequence: number) =>
    sampleKeepalive({ entity: { ...entity }, event: { sequence } });
  const table: readonly [string, Parameters<typeof decideRegistration>, string][] = [
    ['nothing stored', [null, heard({}, 1)], 'register'],
    ['nothing stored, late', [null, heard({}, 9)], 'register'],
    ['managed by its agent, first keepalive', [plain, heard(managed, 1)], 'adopt managedByAgent'],
    ['managed by its agent, later keepalive', [own, heard(managed, 2)], 'keep alreadyAdopted'],
    ['no longer managed', [own, heard({}, 5)], 'adopt noLongerManaged'],
    ['never managed', [plain, heard({}, 1)], 'keep storedWins'],
  ];
  for (const [what, [stored, keepalive], expected] of table) {
    it(`${what}: ${expected}`, () => {
      const { type, ...rest } = decideRegistration(stored, keepalive);
      assert.equal([type, ...Object.values(rest)].join(' '), expected);
    });
  }

  it('knows the label under both names, with the right value only', () => {
    const labelled = (labels: Record<string, string>) => ({ ...plain, metadata: { name: 'a', labels } });
    assert.equal(isManagedByAgent(labelled({ 'sensu.io/managed_by': 'sensu-agent' })), true);
    assert.equal(isManagedByAgent(labelled({ 'mon.io/managed_by': 'mon-ctl' })), false);
  });

  it('takes facts from the agent and configuration from whom it belongs to', () => {
    const stored = { ...plain, subscriptions: ['stored', 'entity:web-01'], user: 'operator' };
    const sent = heard(
      { subscriptions: ['sent'], user: 'agent', system: { hostname: 'h' }, mon_agent_version: '9' },
      1,
    );
    const kept = heardEntity(stored, sent, { type: 'keep', why: 'storedWins' }, 0);
    assert.deepEqual(
      [kept.subscriptions, kept.user, kept.system.hostname, kept.mon_agent_version, kept.last_seen],
      [['stored', 'entity:web-01'], 'operator', 'h', '9', 1_700_000_000],
    );
    const taken = heardEntity(stored, sent, { type: 'adopt', why: 'managedByAgent' }, 0);
    assert.deepEqual([taken.subscriptions, taken.user], [['sent', 'entity:web-01'], 'agent']);
  });
});
