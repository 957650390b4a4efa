// Scenes of the delivery queue, and what holds in all of them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deliveryQueueMachine } from '../../src/machines/delivery-queue/delivery-queue-machine.ts';
import type {
  DeliveryQueueContext,
  DeliveryQueueEffect,
  DeliveryQueueFact,
} from '../../src/machines/delivery-queue/delivery-queue-rule.ts';
import { fc } from '../property.ts';
import { bring } from './harness.ts';

const limits = { waiting: 3, waitingBytes: 1_000, underWay: 2 };

const start = () => {
  const live = bring<DeliveryQueueFact, DeliveryQueueEffect>(deliveryQueueMachine, { input: { limits } });
  const queued = (key: number, bytes = 1, id = `id-${key}`) =>
    live.send({ type: 'event.queued', queued: { key, id, bytes } });
  const opened = (acknowledges = true) => live.send({ type: 'line.opened', acknowledges });
  const answered = (delivered: readonly string[], refused: readonly string[] = []) =>
    live.send({ type: 'events.answered', delivered, refused });
  const context = () => live.snapshot().context as DeliveryQueueContext;
  return { ...live, queued, opened, answered, context, state: () => live.snapshot().value };
};

const send = (key: number): DeliveryQueueEffect => ({ type: 'event.send', key });
const settle = (
  key: number,
  delivery: 'delivered' | 'refused' | 'dropped' = 'delivered',
): DeliveryQueueEffect => ({ type: 'event.settle', key, delivery });

describe('the delivery queue machine', () => {
  it('sends what waited as soon as there is a line, and no more than may be under way', () => {
    const queue = start();
    for (const key of [1, 2, 3]) assert.deepEqual(queue.queued(key), []);
    assert.deepEqual(queue.opened(), [send(1), send(2)]);
    assert.equal(queue.state(), 'full');
    assert.deepEqual(queue.answered(['id-1']), [settle(1), send(3)]);
    assert.equal(queue.state(), 'full');
    assert.deepEqual(queue.answered(['id-3'], ['id-2']), [settle(3), settle(2, 'refused')]);
    assert.equal(queue.state(), 'flowing');
    assert.deepEqual(queue.queued(4), [send(4)]);
  });

  it('sends again what was not answered when the line broke, before what waits', () => {
    const queue = start();
    queue.opened();
    for (const key of [1, 2, 3]) queue.queued(key);
    queue.answered(['id-1']);
    queue.send({ type: 'line.closed' });
    queue.queued(4);
    assert.deepEqual(queue.opened(), [send(2), send(3)]);
    assert.deepEqual(queue.answered(['id-2']), [settle(2), send(4)]);
  });

  it('believes a backend that does not answer as soon as the bytes have left', () => {
    const queue = start();
    queue.opened(false);
    queue.queued(1);
    assert.deepEqual(queue.send({ type: 'event.left', key: 1 }), [settle(1)]);
    queue.send({ type: 'line.closed' });
    queue.opened(true);
    queue.queued(2);
    assert.deepEqual(queue.send({ type: 'event.left', key: 2 }), []);
  });

  it('lets the oldest give way when too many wait, or too much; one may always wait', () => {
    const queue = start();
    for (const key of [1, 2, 3]) queue.queued(key);
    assert.deepEqual(queue.queued(4), [settle(1, 'dropped')]);
    assert.deepEqual(
      queue.queued(5, 1_001),
      [2, 3, 4].map((key) => settle(key, 'dropped')),
    );
    assert.deepEqual(
      queue.context().waiting.map(({ key }) => key),
      [5],
    );
  });

  it('takes an answer as one about the oldest event of that id', () => {
    const queue = start();
    queue.opened();
    queue.queued(1, 1, 'same');
    queue.queued(2, 1, 'same');
    assert.deepEqual(queue.answered(['same']), [settle(1)]);
    assert.deepEqual(queue.answered(['unknown', 'same']), [settle(2)]);
  });

  it('keeps its books right whatever happens', () => {
    const fact = fc.oneof(
      fc.nat({ max: 1_200 }).map((bytes) => ['queue', bytes] as const),
      fc.boolean().map((acknowledges) => ['open', acknowledges] as const),
      fc.constant(['close'] as const),
      fc.nat({ max: 2 }).map((count) => ['answer', count] as const),
      fc.constant(['leave'] as const),
    );
    fc.assert(
      fc.property(fc.array(fact, { maxLength: 60 }), (facts) => {
        const queue = start();
        let made = 0;
        let settled = 0;
        for (const [what, value] of facts) {
          const { underWay } = queue.context();
          const effects =
            what === 'queue'
              ? queue.queued(++made, value)
              : what === 'open'
                ? queue.opened(value)
                : what === 'answer'
                  ? queue.answered(underWay.slice(0, value).map(({ id }) => id))
                  : what === 'leave'
                    ? queue.send({ type: 'event.left', key: underWay[0]?.key ?? 0 })
                    : queue.send({ type: 'line.closed' });
          settled += effects.filter(({ type }) => type === 'event.settle').length;
          const now = queue.context();
          const [waiting, under] = [now.waiting.length, now.underWay.length];
          assert.equal(waiting + under + settled, made, 'every event is somewhere, and only there');
          assert.equal(
            now.waitingBytes,
            now.waiting.reduce((sum, { bytes }) => sum + bytes, 0),
          );
          assert.ok(under <= limits.underWay && waiting <= limits.waiting);
          if (queue.state() === 'flowing') assert.deepEqual([waiting, under < limits.underWay], [0, true]);
          if (queue.state() === 'full') assert.equal(under, limits.underWay);
        }
      }),
    );
  });
});
