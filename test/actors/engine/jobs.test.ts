// Bulk jobs through the whole engine: what they do, in whose name, and that nothing keeps them from going on.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JobView, NewJob } from '../../../src/actors/families/job/jobs.ts';
import { maxJobEvents, maxJobs, maxLiveJobs } from '../../../src/actors/families/job/limits.ts';
import { MonError } from '../../../src/model/errors.ts';
import { World, type WorldOptions } from './world.ts';

const ada = { username: 'ada', groups: [] };
const all = { namespace: 'default' };

const open = async (t: { after(done: () => Promise<void>): void }, options: WorldOptions = {}) => {
  const world = await World.open(options);
  t.after(() => world.stop());
  return world;
};

/** So many failing events: `web-01/check-0001` and so on. */
const failing = async (world: World, count: number): Promise<void> => {
  for (let number = 1; number <= count; number += 1)
    await world.post({ name: `check-${String(number).padStart(4, '0')}`, status: 2, handlers: [] });
};

const submit = (world: World, job: Partial<NewJob> = {}): Promise<JobView> =>
  world.drive(
    world.backend.jobs.submit('default', {
      action: 'resolve',
      parameters: {},
      by: ada,
      events: all,
      ...job,
    }),
  );

const told = async (world: World, id: string) => {
  const job = await world.backend.jobs.get('default', id);
  return job && [job.state, job.done, job.skipped, job.failed];
};

const counts = (world: World) => world.backend.events.counts({ namespace: 'default' }).all;

describe('a bulk job', () => {
  test('resolves all that match after ten seconds, in the name of who started it', async (t) => {
    const world = await open(t);
    await failing(world, 5);
    await world.post({ name: 'fine', status: 0 });
    const { id } = await submit(world);
    assert.deepEqual(await told(world, id), ['waiting', 0, 0, 0]);
    await world.advance(9_000);
    assert.equal(counts(world).critical, 5);
    await world.advance(2_000);
    assert.deepEqual(await told(world, id), ['done', 5, 1, 0]);
    assert.deepEqual([counts(world).critical, counts(world).passing], [0, 6]);
    const event = await world.read('web-01', 'check-0003');
    assert.equal(event?.check.output, 'Resolved manually by ada');
  });

  test('can be taken back while it waits', async (t) => {
    const world = await open(t);
    await failing(world, 2);
    const { id } = await submit(world);
    await world.drive(world.backend.jobs.cancel('default', id, 'bob'));
    await world.advance(20_000);
    assert.deepEqual(await told(world, id), ['canceled', 0, 0, 0]);
    assert.equal((await world.backend.jobs.get('default', id))?.canceledBy, 'bob');
    assert.equal(counts(world).critical, 2);
    await assert.rejects(world.drive(world.backend.jobs.cancel('default', id, 'bob')), /has ended/);
    await assert.rejects(
      world.drive(world.backend.jobs.cancel('default', 'none', 'bob')),
      /there is no job none/,
    );
  });

  test('asks for the rights to each event, and says which are missing', async (t) => {
    const world = await open(t, {
      refusal: (by, { verb, resourceName }) =>
        resourceName.endsWith('check-0002') ? `${by.username} may not ${verb} events ${resourceName}` : null,
    });
    await failing(world, 3);
    const { id } = await submit(world);
    await world.advance(11_000);
    assert.deepEqual(await told(world, id), ['done', 2, 0, 1]);
    assert.deepEqual((await world.backend.jobs.get('default', id))?.errors, [
      { event: 'web-01/check-0002', why: 'ada may not update events web-01/check-0002' },
    ]);
    assert.equal(counts(world).critical, 1);
  });

  test('goes on where it was after every kill, and does nothing twice', async (t) => {
    const world = await open(t);
    await failing(world, 250);
    const { id } = await submit(world);
    await world.crash();
    await world.start();
    assert.deepEqual(await told(world, id), ['waiting', 0, 0, 0]);
    await world.advance(11_000);
    const { done = 0, skipped = 0 } = (await world.backend.jobs.get('default', id)) ?? {};
    assert.equal(done + skipped, 250);
    assert.equal(counts(world).critical, 0);
    await world.crash();
    await world.start();
    assert.equal((await told(world, id))?.[0], 'done');
    const resolutions = world.told.filter(({ status }) => status === 0);
    assert.ok(resolutions.length <= 250);
    await world.advance(86_400_000);
    assert.equal(await told(world, id), undefined);
    await world.crash();
    await world.start();
    assert.equal(await told(world, id), undefined);
  });

  test('that was killed between two steps begins with the one that is not done', async (t) => {
    const asked: string[] = [];
    let isAway = true;
    const world = await open(t, {
      refusal: (_, { resourceName }) => {
        asked.push(resourceName);
        if (isAway && asked.length > 150) throw new MonError('unavailable', 'the store is away');
        return null;
      },
    });
    await failing(world, 250);
    const { id } = await submit(world);
    await world.advance(10_000);
    assert.deepEqual(await told(world, id), ['running', 100, 0, 0]);
    await world.crash();
    asked.length = 0;
    isAway = false;
    await world.start();
    await world.advance(1_000);
    const { done = 0, skipped = 0 } = (await world.backend.jobs.get('default', id)) ?? {};
    assert.deepEqual([(await told(world, id))?.[0], done + skipped], ['done', 250]);
    assert.deepEqual([asked.length, asked[0]], [150, 'web-01/check-0101']);
  });

  test('acknowledges, silences, deletes and asks to run again', async (t) => {
    const world = await open(t);
    await failing(world, 2);
    await world.post({ name: 'fine', status: 0 });
    const parameters = { owner: 'bob', comment: 'seen', remind_every: 0 };
    const acknowledged = await submit(world, { action: 'acknowledge', parameters });
    const silenced = await submit(world, {
      action: 'silence',
      parameters: { reason: 'known', expire: 60, expire_on_resolve: false },
      events: ['web-01/check-0001'],
    });
    const again = await submit(world, { action: 'silence', parameters: {}, events: ['web-01/check-0001'] });
    const rerun = await submit(world, { action: 'rerun', events: ['web-01/check-0001'] });
    await world.advance(1_000);
    assert.deepEqual(await told(world, acknowledged.id), ['done', 2, 1, 0]);
    assert.equal((await world.read('web-01', 'check-0002'))?.check.acknowledgement?.owner, 'bob');
    assert.deepEqual(await told(world, silenced.id), ['done', 1, 0, 0]);
    assert.deepEqual(await told(world, again.id), ['done', 0, 1, 0]);
    assert.deepEqual((await world.read('web-01', 'check-0001'))?.check.silenced, [
      'entity:web-01:check-0001',
    ]);
    assert.deepEqual(await told(world, rerun.id), ['done', 0, 0, 1]);
    assert.match(
      (await world.backend.jobs.get('default', rerun.id))?.errors[0]?.why ?? '',
      /no check check-0001 is set up/,
    );
    const deleted = await submit(world, { action: 'delete', events: ['web-01/check-0001', 'web-01/none'] });
    await world.advance(11_000);
    assert.deepEqual(await told(world, deleted.id), ['done', 1, 1, 0]);
    assert.equal(await world.read('web-01', 'check-0001'), undefined);
    assert.equal((await world.backend.jobs.list('default'))[0]?.action, 'delete');
    assert.equal((await world.backend.jobs.list('default')).length, 5);
  });
});

test('jobs are bounded: under way, kept, and in their events', async (t) => {
  const world = await open(t);
  await failing(world, 1);
  await assert.rejects(submit(world, { events: { ...all, check: 'none' } }), /no event matches/);
  const names = Array.from({ length: maxJobEvents }, (_, number) => `web-01/${'x'.repeat(300)}-${number}`);
  await assert.rejects(submit(world, { events: names }), /take too many bytes/);
  for (let count = 0; count < maxLiveJobs; count += 1) await submit(world);
  await assert.rejects(submit(world), (error: unknown) => {
    assert.ok(error instanceof MonError);
    assert.deepEqual(
      [error.kind, error.message],
      ['tooManyRequests', '20 jobs are under way: wait for one to end'],
    );
    return true;
  });
  await world.advance(11_000);
  for (let count = maxLiveJobs; count <= maxJobs; count += 1) {
    await submit(world, { action: 'acknowledge', parameters: { owner: '', comment: '', remind_every: 0 } });
    await world.advance(1_000);
  }
  assert.equal((await world.backend.jobs.list('default')).length, maxJobs);
});
