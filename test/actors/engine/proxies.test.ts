// Proxy requests through the whole engine: which entities a check runs for, with what, when, and on which agent.
// The expressions run in the real sandbox.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ProxyMatcher } from '../../../src/actors/families/schedule/proxy-matcher.ts';
import { checkConfigSchema } from '../../../src/model/check/check.ts';
import { entitySchema } from '../../../src/model/entity/entity.ts';
import type { ExpressionOutcome, ExpressionRunner } from '../../../src/pipeline/sandbox/protocol.ts';
import { stepUntilAsync } from '../../eventually.ts';
import type { Agent } from './agent.ts';
import { type Json, World } from './world.ts';

const site = (name: string, labels: Json = { kind: 'site' }): Json => ({
  metadata: { name, namespace: 'default', labels },
});

const declare = async (world: World, name: string, labels: Json): Promise<void> => {
  await world.post({ name: 'born', handlers: [] }, { name, ...site(name, labels) });
};

const sites = async (world: World, names: readonly string[]): Promise<void> => {
  for (const name of names) await declare(world, name, { kind: 'site', url: `https://${name}.example` });
};

/** Which entity each request was for, in order. */
const proxiesOf = (agent: Agent): string[] =>
  agent.requests.map(({ request }) => request.config.proxy_entity_name);

const http = {
  interval: 60,
  command: 'http {{ .labels.url }} {{ .name }}',
  proxy_requests: { entity_attributes: ["entity.labels.kind == 'site'"] },
};

describe('entity_attributes', () => {
  const expressions: readonly (readonly [string, readonly string[]])[] = [
    ["entity.entity_class == 'proxy'", ['a', 'b', 'switch']],
    ["entity.labels.kind == 'site'", ['a', 'b']],
    ["entity.metadata.labels.kind == 'site' && entity.name != 'a'", ['b']],
    ["entity.subscriptions.indexOf('entity:b') >= 0", ['b']],
    ["entity.namespace === 'default' && entity.labels.nothing === undefined", ['a', 'agent', 'b', 'switch']],
    // What only the agent reports is not there.
    ['entity.system.hostname.length >= 0', []],
    ['entity.last_seen > 0', []],
    ['typeof event !== "undefined"', []],
    ['while (true) {}', []],
    ['entity.labels.kind ===', []],
  ];
  for (const [text, expected] of expressions) {
    test(text, async () => {
      const world = await World.open();
      const agent = await world.agent('agent');
      await sites(world, ['b', 'a']);
      await declare(world, 'switch', { kind: 'switch' });
      await world.check('probe', { interval: 60, proxy_requests: { entity_attributes: [text] } });
      await world.advance(60_000);
      assert.deepEqual(proxiesOf(agent), expected);
      assert.equal(world.warnings(/will not be published/).length, expected.length === 0 ? 1 : 0);
      await world.stop();
    });
  }

  test('must all hold, and an empty list matches nothing', async () => {
    const world = await World.open();
    const agent = await world.agent('agent');
    await sites(world, ['a', 'b']);
    const both = ["entity.labels.kind == 'site'", "entity.name == 'b'"];
    await world.check('both', { interval: 60, proxy_requests: { entity_attributes: both } });
    await world.check('none', { interval: 60, proxy_requests: { entity_attributes: [] } });
    await world.advance(60_000);
    assert.deepEqual(proxiesOf(agent), ['b']);
    await world.stop();
  });

  test('see entities come, change and go from one tick to the next', async () => {
    const world = await World.open();
    const agent = await world.agent('agent');
    await sites(world, ['a']);
    await world.check('http', http);
    const tick = async (): Promise<string[]> => {
      const before = agent.requests.length;
      await world.advance(60_000);
      return proxiesOf(agent).slice(before);
    };
    assert.deepEqual(await tick(), ['a']);
    await sites(world, ['b']);
    assert.deepEqual(await tick(), ['a', 'b']);
    const entity = await world.drive(world.backend.readEntity('default', 'a'));
    assert.ok(entity);
    const changed = { ...entity, metadata: { ...entity.metadata, labels: { kind: 'retired' } } };
    await world.drive(world.backend.putEntity(changed, { create: false }));
    assert.deepEqual(await tick(), ['b']);
    await world.drive(world.backend.deleteEntity('default', 'b'));
    assert.deepEqual(await tick(), []);
    await world.stop();
  });
});

describe('a proxy request', () => {
  const evil = 'x; id > /tmp/planted';

  test('takes no shell syntax from an entity that an event brought, and says so in an event of the entity', async () => {
    const world = await World.open();
    const agent = await world.agent('agent');
    await declare(world, 'bad', { kind: 'site', url: evil });
    await declare(world, 'good', { kind: 'site', url: 'https://good.example' });
    await world.check('http', { ...http, handlers: [] });
    await world.advance(60_000);
    assert.deepEqual(proxiesOf(agent), ['good']);
    const told = await world.read('bad', 'http');
    assert.equal(told?.check.status, 3);
    assert.match(told?.check.output ?? '', /the value of \.labels\.url came with an event/);
    await world.stop();
  });

  test('takes what an operator wrote, by PUT and not by a change of a part', async () => {
    const world = await World.open();
    const agent = await world.agent('agent');
    await declare(world, 'a', { kind: 'site', url: evil });
    const entity = await world.drive(world.backend.readEntity('default', 'a'));
    assert.ok(entity);
    await world.check('http', http);
    const commands = async (): Promise<string[]> => {
      const before = agent.requests.length;
      await world.advance(60_000);
      return agent.requests.slice(before).map(({ request }) => request.config.command ?? '');
    };
    await world.drive(world.backend.putEntity(entity, { create: false, isPartial: true }));
    assert.deepEqual(await commands(), []);
    await world.drive(world.backend.putEntity(entity, { create: false }));
    assert.deepEqual(await commands(), [`http ${evil} a`]);
    await world.drive(world.backend.putEntity(entity, { create: false, isPartial: true }));
    assert.deepEqual(await commands(), [`http ${evil} a`]);
    await world.stop();
  });

  test('carries the tokens of its entity, and its result belongs to that entity', async () => {
    const world = await World.open();
    const agent = await world.agent('agent', { status: () => 1 });
    await sites(world, ['a', 'b']);
    await world.check('http', http);
    await world.advance(60_000);
    assert.deepEqual(
      agent.requests.map(({ request }) => request.config.command),
      ['http https://a.example a', 'http https://b.example b'],
    );
    assert.equal((await world.read('a', 'http'))?.check.status, 1);
    assert.equal((await world.read('b', 'http'))?.entity.entity_class, 'proxy');
    assert.equal(await world.read('agent', 'http'), undefined);
    await world.stop();
  });

  test('whose token has no value is left out and named; the others go out', async () => {
    const world = await World.open();
    const agent = await world.agent('agent');
    await sites(world, ['a']);
    await declare(world, 'b', { kind: 'site' });
    await world.check('http', http);
    await world.advance(60_000);
    assert.deepEqual(proxiesOf(agent), ['a']);
    const [line] = world.warnings(/could not be built/);
    assert.equal(line?.fields['entity'], 'b');
    assert.match(String(line?.fields['why']), /unmatched token/);
    await world.stop();
  });

  test('goes to every subscriber, ad hoc as well, whether published or not', async () => {
    const world = await World.open();
    const agents = [await world.agent('x'), await world.agent('y')];
    await sites(world, ['a', 'b']);
    await world.check('http', { ...http, publish: false, round_robin: true });
    await world.advance(120_000);
    await world.drive(world.backend.executeCheck('default', 'http'));
    await world.quiet();
    for (const agent of agents) assert.deepEqual(proxiesOf(agent), ['a', 'b']);
    await world.stop();
  });
});

describe('splay', () => {
  const seconds = (agent: Agent): number[] => {
    const first = agent.requests[0]?.atMs ?? 0;
    return agent.requests.map(({ atMs }) => Math.round((atMs - first) / 1000));
  };
  const cases: readonly (readonly [what: string, fields: Json, offsets: readonly number[]])[] = [
    ['none: all at once', {}, [0, 0, 0, 0]],
    ['covers 90 % of the interval by default', { splay: true, splay_coverage: 90 }, [0, 27, 54, 81]],
    ['covers what it says', { splay: true, splay_coverage: 50 }, [0, 15, 30, 45]],
  ];
  for (const [what, fields, offsets] of cases) {
    test(what, async () => {
      const world = await World.open();
      const agent = await world.agent('agent');
      await sites(world, ['a', 'b', 'c', 'd']);
      const proxies = { ...http.proxy_requests, ...fields };
      await world.check('http', { ...http, interval: 120, proxy_requests: proxies });
      await world.advance(120_000 + 119_000);
      assert.deepEqual(seconds(agent).slice(0, 4), offsets);
      assert.deepEqual(proxiesOf(agent).slice(0, 4), ['a', 'b', 'c', 'd']);
      await world.stop();
    });
  }

  test('sends nothing more once its check was deleted', async () => {
    const world = await World.open();
    const agent = await world.agent('agent');
    await sites(world, ['a', 'b', 'c', 'd']);
    const proxies = { ...http.proxy_requests, splay: true, splay_coverage: 90 };
    await world.check('http', { ...http, interval: 120, proxy_requests: proxies });
    await stepUntilAsync(
      'the first request',
      () => agent.requests.length > 0,
      () => world.advance(1_000),
      1_000,
    );
    await world.remove('checks', 'http');
    await world.advance(240_000);
    assert.deepEqual(proxiesOf(agent), ['a']);
    await world.stop();
  });
});

describe('round robin over proxies', () => {
  test('gives each proxy to one agent, and the next ones to the agents whose turn it is', async () => {
    const world = await World.open();
    const agents: Agent[] = [];
    for (const name of ['x', 'y', 'z']) agents.push(await world.agent(name));
    await sites(world, ['a', 'b']);
    await world.check('http', { ...http, round_robin: true });
    await world.advance(180_000);
    assert.deepEqual(agents.map(proxiesOf), [
      ['a', 'b'],
      ['b', 'a'],
      ['a', 'b'],
    ]);
    await world.stop();
  });

  test('gives an agent several when there are fewer agents than proxies', async () => {
    const world = await World.open();
    const agents = [await world.agent('x'), await world.agent('y')];
    await sites(world, ['a', 'b', 'c']);
    await world.check('http', { ...http, round_robin: true });
    await world.advance(60_000);
    assert.deepEqual(agents.map(proxiesOf), [['a', 'c'], ['b']]);
    await world.stop();
  });
});

describe('the matcher', () => {
  const config = checkConfigSchema.parse({ metadata: { name: 'http', namespace: 'default' }, ...http });
  const entities = Array.from({ length: 1_000 }, (_, index) =>
    entitySchema.parse({ ...site(`s${index}`), entity_class: 'proxy' }),
  );

  const counting = (outcome: ExpressionOutcome) => {
    const count = { evaluated: 0, told: 0 };
    const runner: ExpressionRunner = {
      limits: { timeMs: 50, memoryBytes: 1 },
      evaluate: async (_json, _nowMs, programs) => {
        count.evaluated += 1;
        return programs.map(() => ({ outcomes: [outcome], durationMs: 0 }));
      },
      validateExpression: async () => null,
    };
    const log = {
      error: () => {
        count.told += 1;
      },
    };
    return { count, matcher: new ProxyMatcher({ expressions: runner, nowMs: () => 0, log }) };
  };

  test('evaluates an expression again only for entities that changed', async () => {
    const { count, matcher } = counting({ type: 'value', truthy: true });
    for (let tick = 0; tick < 10; tick += 1) {
      // What an agent reports with every keepalive is nothing an expression could see.
      const seen = entities.map((entity) => ({ ...entity, last_seen: tick }));
      assert.equal((await matcher.matching(config, seen)).length, 1_000);
    }
    assert.equal(count.evaluated, 1_000);
    const [first, ...others] = entities;
    assert.ok(first);
    await matcher.matching(config, [{ ...first, user: 'else' }, ...others]);
    assert.equal(count.evaluated, 1_001);
    const redefined = {
      ...config,
      proxy_requests: { ...http.proxy_requests, splay: false, splay_coverage: 0 },
    };
    await matcher.matching({ ...redefined }, entities.slice(1));
    assert.equal(count.evaluated, 1_001, 'the same expressions');
    redefined.proxy_requests.entity_attributes = ['true'];
    await matcher.matching(redefined, entities);
    assert.equal(count.evaluated, 2_001);
  });

  test('tells a mistake once a tick, and asks again what was stopped at a limit', async () => {
    const { count, matcher } = counting({ type: 'failed', kind: 'slow', message: 'took too long' });
    for (let tick = 0; tick < 3; tick += 1) assert.deepEqual(await matcher.matching(config, entities), []);
    assert.deepEqual(count, { evaluated: 3_000, told: 3 });
  });
});
