// Acknowledgements through the whole engine, with real pipelines: what handlers still hear of, and what outlives a crash.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { contextOf } from '../../../src/actors/runtime/inspection/snapshot.ts';
import type { CheckContext } from '../../../src/machines/check/check-facts.ts';
import type { CheckEvent } from '../../../src/model/event/event.ts';
import { maxIncidentNotes } from '../../../src/model/limits.ts';
import { handler, open, traceOf, until } from './real-pipelines.ts';
import type { Json, World } from './world.ts';

const cpu = { namespace: 'default', entity: 'web-01', check: 'cpu' };
const request = { comment: 'disk ordered', owner: '', remind_every: 0 };

interface Desk {
  readonly world: World;
  post(status: number, more?: Json): Promise<void>;
  acknowledge(remindEvery?: number): Promise<CheckEvent>;
  /** Waits until the handler got so many events, and returns the last one. */
  heard(count: number): Promise<Json>;
  /** How many events the handler got so far. */
  readonly count: number;
  /** What a filter said that stopped the last event, or what became of it. */
  why(): Promise<string>;
}

const openDesk = async (t: TestContext, filters: readonly string[] = ['is_incident']): Promise<Desk> => {
  const { world, folder } = await open(t);
  const file = join(folder, 'told');
  await handler(world, 'pager', { command: `cat >> ${file}; echo >> ${file}`, filters });
  const lines = (): string[] =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
      : [];
  return {
    world,
    post: async (status, more = {}) => {
      await world.advance(1_000);
      await world.post({ status, handlers: ['pager'], ...more });
    },
    acknowledge: (remindEvery = 0) =>
      world.drive(world.backend.incidents.acknowledge(cpu, 'ada', { ...request, remind_every: remindEvery })),
    async heard(count) {
      await until(world, `event ${count} at the handler`, () => lines().length >= count);
      // The check is told, too: what comes next is not queued behind it.
      await until(world, 'the end of the delivery', () => {
        const check = world.backend.runtime.registry.peek('check:default/web-01/cpu');
        return check !== undefined && contextOf<CheckContext>(check).pending.length === 0;
      });
      await world.quiet();
      assert.equal(lines().length, count);
      return (JSON.parse(lines().at(-1) ?? '') as { check: Json }).check;
    },
    get count() {
      return lines().length;
    },
    why: async () => (await traceOf(world))?.workflows[0]?.why ?? 'no trace',
  };
};

describe('an acknowledged incident', () => {
  test('calls no handler again until its status changes; the trace says why', async (t) => {
    const desk = await openDesk(t);
    await desk.post(2);
    await desk.heard(1);
    const { check } = await desk.acknowledge();
    assert.equal(check.acknowledgement?.owner, 'ada');
    for (let repeat = 0; repeat < 3; repeat += 1) await desk.post(2);
    assert.equal(await desk.why(), 'not_acknowledged: acknowledged by ada: disk ordered');
    assert.equal(desk.count, 1);
    await desk.post(1);
    const changed = await desk.heard(2);
    assert.equal((changed['acknowledgement'] as Json)['owner'], 'ada');
    await desk.post(1);
    assert.match(await desk.why(), /^not_acknowledged/);
    await desk.post(0);
    const resolved = await desk.heard(3);
    assert.equal(resolved['acknowledgement'], undefined, 'it ends with the incident');
    await desk.post(2);
    await desk.post(2);
    await desk.heard(5);
  });

  test('calls handlers again once it is released', async (t) => {
    const desk = await openDesk(t);
    await desk.post(2);
    await desk.heard(1);
    await desk.acknowledge();
    await desk.post(2);
    await desk.world.drive(desk.world.backend.incidents.release(cpu));
    await desk.post(2);
    await desk.heard(2);
    await assert.rejects(desk.world.drive(desk.world.backend.incidents.release(cpu)), /nobody acknowledged/);
  });

  test('stops handlers without filters, too, but not those of metrics', async (t) => {
    const desk = await openDesk(t, []);
    const metrics = { handlers: ['pager'], points: [{ name: 'load', value: 1, timestamp: 1 }] };
    await desk.post(2);
    await desk.heard(1);
    await desk.acknowledge();
    await desk.post(2);
    assert.match(await desk.why(), /^not_acknowledged/);
    await desk.world.post({ status: 2, handlers: [] }, {}, { metrics });
    await desk.heard(2);
  });

  test('is kept over a crash, and so is its reminder', async (t) => {
    const desk = await openDesk(t);
    await desk.post(2);
    await desk.heard(1);
    await desk.acknowledge(600);
    await desk.world.advance(601_000);
    const first = (await desk.heard(2))['acknowledgement'] as Json;
    assert.deepEqual([first['reminder'], first['reminders']], [true, 1]);
    await desk.world.crash();
    await desk.world.start();
    const stored = (await desk.world.read('web-01', 'cpu'))?.check.acknowledgement;
    assert.deepEqual([stored?.owner, stored?.reminders, stored?.reminder], ['ada', 1, undefined]);
    await desk.post(2);
    assert.match(await desk.why(), /^not_acknowledged/);
    await desk.world.advance(601_000);
    await desk.heard(3);
    await desk.post(0);
    await desk.heard(4);
    await desk.world.advance(3_600_000);
    assert.equal(desk.count, 4, 'the reminder ended with the incident');
  });

  test('reminds nobody while a silence covers it', async (t) => {
    const desk = await openDesk(t, ['is_incident', 'not_silenced']);
    await desk.post(2);
    await desk.heard(1);
    await desk.acknowledge(600);
    await desk.world.silence({ check: 'cpu' });
    await desk.world.advance(601_000);
    assert.match(await desk.why(), /^not_silenced: silenced by \*:cpu/);
    assert.equal(desk.count, 1);
  });

  test('is what people say, not what a sender says', async (t) => {
    const desk = await openDesk(t);
    await desk.post(2, { acknowledgement: { owner: 'mallory' }, incident_notes: [{ text: 'mine' }] });
    const { acknowledgement, incident_notes } = (await desk.world.read('web-01', 'cpu'))?.check ?? {};
    assert.deepEqual([acknowledgement, incident_notes], [undefined, undefined]);
    await desk.heard(1);
  });
});

test('only an incident is acknowledged or gets notes', async (t) => {
  const { world, post, acknowledge, heard } = await openDesk(t);
  const note = (text: string) => world.drive(world.backend.incidents.note(cpu, 'ada', text));
  await assert.rejects(acknowledge(), /there is no event web-01\/cpu/);
  await post(0);
  await assert.rejects(acknowledge(), /web-01\/cpu is passing/);
  await assert.rejects(note('a note'), /web-01\/cpu is passing/);
  await post(2);
  await heard(1);
  for (let count = 1; count <= maxIncidentNotes; count += 1) await note(`note ${count}`);
  await assert.rejects(note('one more'), /has 50 notes, which is the most/);
  await world.crash();
  await world.start();
  const notes = (await world.read('web-01', 'cpu'))?.check.incident_notes ?? [];
  assert.deepEqual([notes.length, notes[0]?.by, notes.at(-1)?.text], [50, 'ada', 'note 50']);
  await post(0);
  assert.equal((await world.read('web-01', 'cpu'))?.check.incident_notes, undefined);
});
