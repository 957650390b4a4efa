// Any backend does and answers everything: the same scenario is played on one backend and on two, where each call goes to the
// other one in turn, and every answer has to be the same.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Backend } from '../../../src/actors/backend.ts';
import type { EventPlace } from '../../../src/actors/events/event-entry.ts';
import type { EventFilter, EventPage } from '../../../src/actors/events/event-search.ts';
import { answerList, selectorFilter } from '../../../src/http/listing.ts';
import type { Call } from '../../../src/http/route.ts';
import { MonError } from '../../../src/model/errors.ts';
import type { CheckEvent } from '../../../src/model/event/event.ts';
import { eventKind } from '../../../src/model/kinds/watching.ts';
import { silencedSchema } from '../../../src/model/silence/silenced.ts';
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
      [
        'id',
        'timestamp',
        'last_seen',
        'at',
        'sequence',
        'issued',
        'last_ok',
        'executed',
        'time',
        'seq',
      ].includes(key) || key.endsWith('AtMs')
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

/** No backend is missing, which a backend alone need not say. */
const shown = <T extends object>({
  missing,
  ...rest
}: T & { readonly missing?: readonly unknown[] }): object => {
  assert.deepEqual(missing ?? [], []);
  return rest;
};

describe('lists over all backends', () => {
  const filled: Play = async (call, on) => {
    for (const [index, entity] of entitiesOnBoth(6).entries())
      for (const [number, name] of ['cpu', 'disk', 'load'].entries()) {
        const status = (index + number) % 4;
        const labels = { site: index % 2 === 0 ? 'a' : 'b' };
        const { world } = on.at(0);
        const metadata = { name: entity, namespace: 'default', labels };
        await call((backend) => backend.acceptEvent(world.event({ name, status }, { metadata })));
      }
  };
  const selectors = (query: Call['query']) => {
    const filter = selectorFilter<CheckEvent>(query, eventKind);
    return filter === undefined ? {} : { filter };
  };

  test('of events and entities, page by page, whole, of one entity, and with selectors', async (t) => {
    const [one = ''] = entitiesOnBoth(6).slice(-1);
    const answers = await same(async (call, on) => {
      await filled(call, on);
      for (const query of [
        {},
        { fieldSelector: 'event.check.status == "2"' },
        { labelSelector: 'site == "a"' },
      ]) {
        for (let after: string | undefined, page = 0; page < 20; page += 1) {
          const from = after === undefined ? {} : { after };
          const asked = { namespace: 'default', limit: 4, ...from, ...selectors(query) };
          const { next } = (await call((backend) => backend.readEvents(asked).then(shown))) as {
            next?: string;
          };
          after = next;
          if (after === undefined) break;
        }
        await call((backend) => backend.readEvents({ ...selectors(query) }).then(shown));
      }
      await call((backend) => backend.readEvents({ namespace: 'default', entity: one }).then(shown));
      await call((backend) => backend.readEvents({ namespace: 'default', entity: 'nobody' }).then(shown));
      await call((backend) => backend.readEntities({ namespace: 'default' }).then(shown));
      await call((backend) => backend.readEntities({ namespace: 'default', limit: 5 }).then(shown));
      await call((backend) =>
        backend.readEntities({ namespace: 'default', limit: 5, after: `default/${one}` }).then(shown),
      );
    }, t);
    assert.equal((answers.at(-3) as { items: unknown[] }).items.length, 12);
  });

  test('of the page: every order and filter, counts and groups', async (t) => {
    await same(async (call, on) => {
      await filled(call, on);
      const scope = { namespace: 'default' };
      const filters: readonly EventFilter[] = [
        scope,
        { ...scope, severities: ['critical', 'warning'] },
        { ...scope, words: ['cpu'] },
        { ...scope, check: 'disk' },
        { namespace: '', only: new Set(['default']) },
        { ...scope, selector: selectorFilter<CheckEvent>({ labelSelector: 'site == "b"' }, eventKind) },
      ];
      for (const filter of filters) {
        for (const order of ['worst', 'newest', 'oldest', 'name'] as const) {
          for (let after: EventPlace | undefined, page = 0; page < 20; page += 1) {
            const search = { ...filter, order, limit: 5, after };
            const found = (await call(({ eventReader }) =>
              eventReader.search(search).then(shown),
            )) as EventPage;
            after = found.next;
            if (after === undefined) break;
          }
        }
        await call(({ eventReader }) => eventReader.count(filter));
        for (const by of ['check', 'entity', 'label:site'] as const)
          await call(({ eventReader }) => eventReader.groups(filter, by));
      }
    }, t);
  });

  test('of silences: what they cover, on all backends together', async (t) => {
    const answers = await same(async (call, on) => {
      await filled(call, on);
      for (const { world } of on.members) await world.silence({ check: 'cpu' });
      await on.pass(100);
      await call((backend) => backend.silences('default'));
      const silence = (check: string) =>
        silencedSchema.parse({ metadata: { name: `*:${check}`, namespace: 'default' }, check });
      await call((backend) => backend.silenceCovers('default', silence('disk')));
      await call((backend) => backend.silenceCovers('default', silence('none')));
    }, t);
    assert.deepEqual(answers.slice(-2), [true, false]);
  });

  test('a bulk job finds its events on all backends', async (t) => {
    await same(async (call, on) => {
      await filled(call, on);
      const job = {
        action: 'delete',
        parameters: {},
        by: ada,
        events: { namespace: 'default', check: 'cpu' },
      } as const;
      const { id } = (await call(({ jobs }) => jobs.submit('default', job))) as { id: string };
      await on.pass(12_000, 100);
      await call(({ jobs }) => jobs.get('default', id));
      await call((backend) => backend.readEvents({ namespace: 'default' }).then(shown));
    }, t);
  });

  test('name the backend that does not answer', async (t) => {
    const on = await openMembers(t, 2);
    const { backend } = on.at(0).world;
    await on.drive(filled((ask) => on.drive(settled(ask(backend))), on));
    on.at(1).fallSilent();
    const missing = [{ backend: 'b2', why: 'not reachable' }];
    const list = await on.drive(backend.readEvents({ namespace: 'default', limit: 100 }));
    assert.deepEqual([list.items.length, list.missing], [18, missing]);
    const search = { namespace: 'default', order: 'worst', limit: 100 } as const;
    const page = await on.drive(backend.eventReader.search(search));
    assert.deepEqual([page.total, page.missing], [18, missing]);
    const answer = await on.drive(
      answerList(
        { limit: 100 },
        (asked) => backend.readEvents({ namespace: 'default', ...asked }),
        eventKind.toWire,
      ),
    );
    assert.equal(answer.headers?.['Mon-Missing-Backends'], 'b2 (not reachable)');
  });
});

/** An entity that lives on the second backend. */
const far = entities.find((entity) => homeOf('default', entity) === 'b2') ?? '';

describe('between backends', () => {
  test('the entity limit is applied where an entity lives, and an edge refuses no entity of another backend', async (t) => {
    const on = await openMembers(t, 2, { entityLimit: 1 });
    const [first = '', second = ''] = entitiesOnBoth(2).filter(
      (entity) => homeOf('default', entity) === 'b2',
    );
    const { world } = on.at(0);
    const put = (name: string) => {
      const { entity } = world.event({}, { metadata: { name, namespace: 'default' } });
      return on.drive(settled(world.backend.putEntity(entity, { create: false })));
    };
    assert.equal(((await put(first)) as { metadata: { name: string } }).metadata.name, first);
    assert.match(String(await put(second)), /^paymentRequired: license required/);
    assert.notEqual(typeof (await put(first)), 'string');
    assert.ok(world.backend.admitsEntity('default', first));
    assert.ok(world.backend.knowsEntity('default', first));
  });

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
