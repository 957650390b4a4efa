// Dependencies through the whole engine, with real pipelines: one incident is told and not those that follow from it.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { contextOf } from '../../../src/actors/runtime/inspection/snapshot.ts';
import type { CheckContext } from '../../../src/machines/check/check-facts.ts';
import { checkKey } from '../../../src/model/resource/names.ts';
import { handler, open, traceOf, until } from './real-pipelines.ts';
import type { Json, World } from './world.ts';

interface Desk {
  readonly world: World;
  router(status: number): Promise<void>;
  /** A result of the check http of web-01, which depends on router-1/ping. */
  web(status: number, more?: Json): Promise<void>;
  /** `entity/check status` of what a handler was told. */
  told(name?: string): Promise<readonly string[]>;
  why(): Promise<string>;
}

const openDesk = async (t: TestContext, fields: Json = {}): Promise<Desk> => {
  const { world, folder } = await open(t);
  const define = (name: string, more: Json = {}): Promise<void> =>
    handler(world, name, {
      command: `cat >> ${join(folder, name)}; echo >> ${join(folder, name)}`,
      filters: ['is_incident'],
      ...more,
    });
  await define('pager', fields);
  await define('everything', { handle_masked: true });
  const settle = (): Promise<void> =>
    until(world, 'the end of all deliveries', () =>
      ['router-1/ping', 'web-01/http'].every((name) => {
        const check = world.backend.runtime.registry.peek(`check:default/${name}`);
        return check === undefined || contextOf<CheckContext>(check).pending.length === 0;
      }),
    );
  const post = async (check: Json, entity: Json): Promise<void> => {
    await world.advance(60_000);
    await world.post({ handlers: ['pager', 'everything'], ...check }, entity);
    await settle();
  };
  return {
    world,
    router: (status) => post({ name: 'ping', status }, { name: 'router-1' }),
    web: (status, more = {}) =>
      post({ name: 'http', status, depends_on: ['router-1/ping'], ...more }, { name: 'web-01' }),
    async told(name = 'pager') {
      const file = join(folder, name);
      const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
      return lines
        .filter((line) => line !== '')
        .map((line) => {
          const { entity, check } = JSON.parse(line) as { entity: Json; check: Json };
          const named = ({ metadata }: Json): string => (metadata as { name: string }).name;
          return `${named(entity)}/${named(check)} ${String(check['status'])}`;
        });
    },
    why: async () => {
      await world.quiet();
      const trace = await traceOf(world, 'http');
      return trace?.workflows.find(({ name }) => name === 'pager')?.why ?? 'no trace';
    },
  };
};

describe('an event whose dependency is down', () => {
  test('reaches no handler but those that want masked ones; the trace says what masks it, and for how long', async (t) => {
    const desk = await openDesk(t);
    await desk.router(2);
    for (let minute = 0; minute < 4; minute += 1) await desk.web(2);
    assert.deepEqual(await desk.told(), ['router-1/ping 2']);
    assert.equal(await desk.why(), 'not_masked: masked by router-1/ping (critical for 4 min)');
    assert.equal((await desk.told('everything')).length, 5);
    const event = await desk.world.read('web-01', 'http');
    assert.deepEqual(
      event?.check.masked_by?.map(({ entity, check, severity }) => [entity, check, severity]),
      [['router-1', 'ping', 'critical']],
    );
  });

  test('is told once that is over, also past a filter for first occurrences that asks for it', async (t) => {
    const desk = await openDesk(t, { filters: ['is_incident', 'first'] });
    await desk.world.filter('first', {
      action: 'allow',
      expressions: ["event.check.occurrences == 1 || event.check.masking == 'lifted'"],
    });
    await desk.router(2);
    await desk.web(2);
    await desk.web(2);
    await desk.router(0);
    await desk.told();
    await desk.web(2);
    await desk.web(2);
    assert.deepEqual(await desk.told(), ['router-1/ping 2', 'router-1/ping 0', 'web-01/http 2']);
    await desk.web(0);
    assert.equal((await desk.told()).at(-1), 'web-01/http 0');
  });

  test('that recovers is not told of if nobody was told of the failure; one that was told is', async (t) => {
    const desk = await openDesk(t);
    await desk.router(2);
    await desk.web(2);
    await desk.router(0);
    await desk.web(0);
    assert.deepEqual(await desk.told(), ['router-1/ping 2', 'router-1/ping 0']);
    assert.match(await desk.why(), /^not_masked: it recovered, and handlers were not told of the failure/);
    await desk.web(2);
    await desk.router(2);
    await desk.web(2);
    await desk.web(0);
    assert.deepEqual((await desk.told()).slice(2), ['web-01/http 2', 'router-1/ping 2', 'web-01/http 0']);
  });

  test('stays masked over a crash, and by a dependency that is acknowledged and silenced', async (t) => {
    const desk = await openDesk(t);
    const { world } = desk;
    await desk.router(2);
    await desk.web(2);
    await desk.told();
    const router = { namespace: 'default', entity: 'router-1', check: 'ping' };
    const request = { comment: '', owner: '', remind_every: 0 };
    await world.drive(world.backend.incidents.acknowledge(router, 'ada', request));
    await world.silence({ check: 'ping' });
    await world.crash();
    await world.start();
    const masked = await world.drive(
      world.backend.readEvents({
        namespace: 'default',
        filter: ({ check }) => (check.masked_by ?? []).length > 0,
      }),
    );
    assert.deepEqual(
      masked.items.map(({ entity, check }) => checkKey('default', entity.metadata.name, check.metadata.name)),
      ['default/web-01/http'],
    );
    await desk.web(2);
    assert.match(await desk.why(), /^not_masked: masked by router-1\/ping/);
    await desk.router(0);
    await desk.web(2);
    assert.equal((await desk.told()).at(-1), 'web-01/http 2');
  });

  test('may be masked by the keepalive of its host, named by an annotation of the entity', async (t) => {
    const desk = await openDesk(t);
    const { world } = desk;
    const metadata = {
      name: 'vm-1',
      namespace: 'default',
      annotations: { 'mon.io/depends_on': 'entity:host-1' },
    };
    const agent = await world.agent('host-1', { subscriptions: ['all'] });
    await world.advance(30_000);
    const failing = async (): Promise<number | undefined> => {
      await world.post({ name: 'http', status: 2, handlers: ['pager'] }, { name: 'vm-1', metadata });
      return (await world.read('vm-1', 'http'))?.check.masked_by?.length;
    };
    assert.equal(await failing(), undefined);
    agent.die();
    await world.advance(300_000);
    assert.equal(await failing(), 1);
  });
});

test('a target that does not exist is a problem of the check or entity, and so is a cycle', async (t) => {
  const { world } = await open(t);
  await world.agent('host-1', { subscriptions: ['all'] });
  await world.check('http', {
    depends_on: ['router-1/ping', 'host-1/ping', 'nothing', 'host-1', 'entity:host-1'],
  });
  await world.post(
    { name: 'b', depends_on: ['c'] },
    { metadata: { name: 'loop', namespace: 'default', annotations: { 'mon.io/depends_on': 'entity:gone' } } },
  );
  await world.post({ name: 'c', depends_on: ['b'] }, { name: 'loop' });
  const messages = async (segment: string, name: string): Promise<readonly string[]> =>
    (await world.backend.problems.of({ segment, namespace: 'default', name }))
      .filter(({ field }) => field === 'depends_on')
      .map(({ message }) => message);
  assert.deepEqual(await messages('checks', 'http'), [
    'depends_on: the entity "router-1" does not exist; it masks nothing',
    'depends_on: the entity "host-1" has no event of the check "ping"; it masks nothing',
    'depends_on: there is no check "nothing"; it masks nothing',
    'depends_on: there is no check "host-1". For the keepalive of that entity write entity:host-1; it masks nothing',
  ]);
  assert.deepEqual(await messages('entities', 'loop'), [
    'depends_on: the entity "gone" does not exist; it masks nothing',
    'depends_on: loop/c depends on loop/b depends on loop/c; checks of such a cycle do not mask each other',
  ]);
  await world.post({ name: 'ping' }, { name: 'router-1' });
  assert.equal((await messages('checks', 'http')).length, 3);
});
