// The table of outcomes: complete, consistent, and the same in the documentation.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  maxFaultOffers,
  mayOfferAgain,
  outcomeError,
  outcomeOfError,
  outcomeRules,
} from '../../../src/actors/outcomes/outcome-rules.ts';
import { PoisonWatch } from '../../../src/actors/runtime/cell/poison-watch.ts';
import { maxParkedMessages, maxSuspectMessages } from '../../../src/actors/runtime/limits.ts';
import type { Outcome, OutcomeType } from '../../../src/actors/runtime/outcome.ts';
import { errorCatalogue, MonError } from '../../../src/model/errors.ts';
import { counterBehaviour } from './counter.ts';

const types = Object.keys(outcomeRules) as OutcomeType[];

test('whether a sender may try again is the same for every way in', () => {
  for (const type of types) {
    const { retry, http, agent, earlierSocket, broker } = outcomeRules[type];
    const isAgain = retry === 'untilTaken';
    assert.equal(agent === 'offeredAgain', isAgain, type);
    assert.equal(broker === 'offeredAgain', isAgain, type);
    assert.equal(earlierSocket === 'closed', isAgain, type);
    if (http !== null && http !== 'asInError') assert.equal(errorCatalogue[http].retry, isAgain, type);
    assert.equal(mayOfferAgain(type, 1_000), isAgain, type);
  }
  assert.equal(mayOfferAgain('fault', maxFaultOffers - 1), true);
  assert.equal(mayOfferAgain('fault', maxFaultOffers), false);
});

test('an outcome that became an error is the same outcome again', () => {
  const outcomes: readonly Exclude<Outcome, { type: 'done' | 'busy' }>[] = [
    { type: 'invalid', error: new MonError('notFound') },
    { type: 'poison', message: 'x' },
    { type: 'outage', error: new MonError('storeFull') },
    { type: 'fault', error: new TypeError('x') },
    { type: 'fault', error: new MonError('invalid', 'thrown inside an actor') },
  ];
  for (const outcome of outcomes) assert.equal(outcomeOfError(outcomeError(outcome)).type, outcome.type);
});

test('the documentation shows the table as it is', () => {
  const page = readFileSync('docs/actors.md', 'utf8');
  const rows = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  for (const type of types) {
    const { retry, agent, earlierSocket, broker, internal } = outcomeRules[type];
    const [meaning, edges] = rows.filter((cells) => cells[1] === `\`${type}\``);
    assert.equal(meaning?.[3], retry, type);
    const told = [agent, earlierSocket, broker, internal].map((word) => `\`${word}\``);
    assert.deepEqual(edges?.slice(3, 7), told, type);
  }
});

const event = (id: number) => ({ type: 'x', event: { id: `e${id}` } });

test('poison is found at n suspects in turn, and forgotten at n + 1', () => {
  const found = (suspects: number): number => {
    const watch = new PoisonWatch(counterBehaviour() as never);
    const all = Array.from({ length: suspects }, (_, id) => event(id));
    for (const one of all) assert.equal(watch.crashedOn(one), false);
    return all.filter((one) => watch.crashedOn(one)).length;
  };
  assert.equal(found(maxSuspectMessages), maxSuspectMessages);
  assert.ok(found(maxSuspectMessages + 1) <= 1);
});

test('so many parked messages are remembered, then the oldest is forgotten', () => {
  const watch = new PoisonWatch(counterBehaviour() as never);
  const park = (id: number): void => {
    watch.crashedOn(event(id));
    assert.equal(watch.crashedOn(event(id)), true);
  };
  for (let id = 0; id < maxParkedMessages; id += 1) park(id);
  assert.equal(watch.isParked(event(0)), true);
  park(maxParkedMessages);
  assert.equal(watch.isParked(event(0)), false);
  assert.equal(watch.isParked(event(maxParkedMessages)), true);
});

test('a message that was handled after a crash is no suspect any more', () => {
  const watch = new PoisonWatch(counterBehaviour() as never);
  watch.crashedOn(event(1));
  watch.handled(event(1));
  assert.equal(watch.crashedOn(event(1)), false);
});
