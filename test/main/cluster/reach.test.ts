// Any backend does and answers everything: the same scenario is played on one backend and on two, where each call goes to the
// other one in turn, and every answer has to be the same.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Backend } from '../../../src/actors/backend.ts';
import { MonError } from '../../../src/model/errors.ts';
import { type Ending, entitiesOnBoth, homeOf, type Members, openMembers } from './backends.ts';

const ada = { username: 'ada', groups: [] };

/** An answer, or the error in its place. */
const settled = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => structuredClone(value) ?? null,
    (error: unknown) => (error instanceof MonError ? `${error.kind}: ${error.message}` : error),
  );

type Play = (
  call: (ask: (backend: Backend) => Promise<unknown>) => Promise<unknown>,
  on: Members,
) => Promise<void>;

/** What every call of the scenario was answered. Each call goes to the next backend. */
const played = async (count: number, play: Play, t: Ending) => {
  const on = await openMembers(t, count);
  const answers: unknown[] = [];
  let calls = 0;
  await play(async (ask) => {
    const { world } = on.at(calls);
    calls += 1;
    const answer = await on.drive(settled(ask(world.backend)));
    answers.push(answer);
    return answer;
  }, on);
  return answers;
};

/** Ids and times that differ from run to run. */
const comparable = (answers: unknown): unknown =>
  JSON.parse(
    JSON.stringify(answers, (key, value) =>
      ['id', 'timestamp', 'last_seen', 'at', 'sequence', 'issued', 'last_ok', 'executed', 'time'].includes(
        key,
      ) || key.endsWith('AtMs')
        ? undefined
        : value,
    ),
  );

const same = async (play: Play, t: Ending): Promise<unknown[]> => {
  const alone = await played(1, play, t);
  const together = await played(2, play, t);
  assert.deepEqual(comparable(together), comparable(alone));
  return alone;
};

const entities = entitiesOnBoth(2);

/** A failing check on every entity, written through all backends. */
const failing: Play = async (call, on) => {
  for (const entity of entities)
    await call((backend) =>
      backend.acceptEvent(
        on
          .at(0)
          .world.event({ name: 'cpu', status: 2 }, { metadata: { name: entity, namespace: 'default' } }),
      ),
    );
};

describe('through any backend', () => {
  test('a write can be read back, and what is not there is not found', async (t) => {
    const answers = await same(async (call, on) => {
      await failing(call, on);
      for (const entity of [...entities, 'nobody']) {
        await call((backend) => backend.readEvent('default', entity, 'cpu'));
        await call((backend) => backend.readTrace('default', entity, 'cpu'));
        await call((backend) => backend.readEntity('default', entity));
        await call((backend) => backend.readEvent('default', entity, 'disk'));
      }
    }, t);
    assert.equal(answers.filter((answer) => answer !== null).length, 12);
  });

  test('incidents are acknowledged, noted and released', async (t) => {
    await same(async (call, on) => {
      await failing(call, on);
      const request = { owner: '', comment: 'on it', remind_every: 0 } as never;
      for (const entity of [...entities, 'nobody']) {
        const address = { namespace: 'default', entity, check: 'cpu' };
        await call(({ incidents }) => incidents.acknowledge(address, 'ada', request));
        await call(({ incidents }) => incidents.note(address, 'ada', 'the vendor was called'));
        await call((backend) => backend.readEvent('default', entity, 'cpu'));
        await call(({ incidents }) => incidents.release(address));
        await call(({ incidents }) => incidents.release(address));
      }
    }, t);
  });

  test('entities and events are written, replaced and deleted', async (t) => {
    await same(async (call, on) => {
      await failing(call, on);
      const { entity } = on.at(0).world.event({}, { metadata: { name: 'web-9', namespace: 'default' } });
      for (const name of [...entities, 'new-1', 'new-2']) {
        const written = { ...entity, metadata: { name, namespace: 'default', labels: { site: 'a' } } };
        await call((backend) => backend.putEntity(written, { create: true }));
        await call((backend) => backend.putEntity(written, { create: false }));
        await call((backend) => backend.readEntity('default', name));
        await call((backend) => backend.deleteEvent('default', name, 'cpu'));
        await call((backend) => backend.deleteEvent('default', name, 'cpu'));
        await call((backend) => backend.deleteEntity('default', name));
        await call((backend) => backend.deleteEntity('default', name));
        await call((backend) => backend.readEntity('default', name));
      }
      await call((backend) =>
        backend.putEntity({ ...entity, metadata: { name: 'x', namespace: 'nowhere' } }, { create: true }),
      );
    }, t);
  });

  test('a check is asked for, and one that does not exist is not found', async (t) => {
    await same(async (call, on) => {
      for (const { world } of on.members) await world.check('disk', { subscriptions: ['nobody-has-it'] });
      await call((backend) => backend.executeCheck('default', 'disk'));
      await call((backend) => backend.executeCheck('default', 'none'));
    }, t);
  });

  test('a bulk job over named events is started, listed, canceled, and done', async (t) => {
    const events = entities.map((entity) => `${entity}/cpu`);
    const answers = await same(async (call, on) => {
      await failing(call, on);
      const start = async (action: 'resolve' | 'acknowledge' | 'delete') =>
        (
          (await call(({ jobs }) =>
            jobs.submit('default', { action, parameters: { owner: '', comment: '' }, by: ada, events }),
          )) as { id: string }
        ).id;
      const canceled = await start('resolve');
      await call(({ jobs }) => jobs.cancel('default', canceled, 'bob'));
      await call(({ jobs }) => jobs.cancel('default', canceled, 'bob').catch(({ kind }) => kind));
      for (const action of ['acknowledge', 'resolve', 'delete'] as const) {
        const id = await start(action);
        await on.pass(12_000, 100);
        await call(({ jobs }) => jobs.get('default', id));
        for (const entity of entities) await call((backend) => backend.readEvent('default', entity, 'cpu'));
      }
      await call(({ jobs }) => jobs.list('default'));
      await call(({ jobs }) => jobs.get('default', 'none'));
    }, t);
    assert.equal((answers.at(-2) as unknown[]).length, 4);
  });
});

/** An entity that lives on the second backend. */
const far = entities.find((entity) => homeOf('default', entity) === 'b2') ?? '';

describe('between backends', () => {
  test('a note that the bus doubles is written once', async (t) => {
    const on = await openMembers(t, 2, {}, { lost: 0, doubled: 1, maxDelayMs: 0 });
    const { backend } = on.at(0).world;
    const entity = far;
    await on.drive(
      backend.acceptEvent(
        on
          .at(0)
          .world.event({ name: 'cpu', status: 2 }, { metadata: { name: entity, namespace: 'default' } }),
      ),
    );
    const address = { namespace: 'default', entity, check: 'cpu' };
    const { check } = await on.drive(backend.incidents.note(address, 'ada', 'called'));
    assert.equal(check.incident_notes?.length, 1);
    await on.pass(100);
    const after = await on.drive(backend.readEvent('default', entity, 'cpu'));
    assert.equal(after?.check.incident_notes?.length, 1);
  });

  test('a backend that does not answer is named, and the caller hears that the outcome is unknown', async (t) => {
    const on = await openMembers(t, 2);
    const entity = far;
    on.at(1).bus?.cut();
    const { backend } = on.at(0).world;
    const read = settled(backend.readEntity('default', entity));
    assert.match(
      String(await on.drive(read)),
      new RegExp(
        `^unavailable: (no backend serves default/${entity}|the backend b2, where default/${entity} lives)`,
      ),
    );
  });
});
