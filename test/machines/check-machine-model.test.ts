// The check machine against a straightforward model: the same facts in any order, with duplicates, restarts and a wall clock
// that goes forth and back, must lead to the same state and the same effects.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CheckContext, CheckEffect, CheckFact } from '../../src/machines/check/check-facts.ts';
import {
  checkInput,
  checkMachine,
  checkVersion,
  restoreCheck,
} from '../../src/machines/check/check-machine.ts';
import { fc } from '../property.ts';
import { bring, type Live } from './harness.ts';
import { idOf, sampleEvent } from './samples.ts';

type Command =
  | {
      readonly type: 'result';
      readonly status: number;
      readonly id: number;
      readonly ttl: boolean;
      readonly told: boolean;
      readonly flaps: boolean;
    }
  | { readonly type: 'deadline'; readonly down: boolean }
  | { readonly type: 'finished'; readonly which: 'head' | 'stale' }
  | { readonly type: 'acknowledge'; readonly remindEverySeconds: number }
  | { readonly type: 'release' }
  | { readonly type: 'reminder' }
  | { readonly type: 'restart' }
  | { readonly type: 'wait'; readonly ms: number };

const ttlMs = 20_000;

/** Everything by the book, from the whole past, without a thought about speed. */
class Model {
  nowMs = 1_700_000_000_000;
  statuses: number[] = [];
  ids: string[] = [];
  state = 'awaiting';
  ttl = 'notExpecting';
  ttlAtMs: number | null = null;
  occurrences = 0;
  watermark = 0;
  pending: number[] = [];
  seq = 0;
  owned: { readonly every: number; readonly remindAtMs: number | null } | null = null;
  #last = { ttl: false, told: false, flaps: false };

  result(command: Extract<Command, { type: 'result' }>): string[] {
    const id = idOf(command.id);
    if (this.ids.slice(-32).includes(id)) return ['persist'];
    this.ids.push(id);
    this.#last = command;
    const before = this.ttl;
    const effects = this.#apply(command.status);
    this.ttl = command.ttl ? 'waiting' : 'notExpecting';
    this.ttlAtMs = command.ttl ? this.nowMs + ttlMs : null;
    if (command.ttl) effects.splice(1, 0, `set ${this.ttlAtMs}`);
    else if (before !== 'notExpecting') effects.splice(1, 0, 'clear');
    if (this.owned !== null && this.state === 'passing') {
      this.owned = null;
      effects.splice(1, 0, 'clear reminder');
    }
    return effects;
  }

  acknowledge(every: number): string[] {
    if (this.state !== 'failing' && this.state !== 'flapping') return [];
    this.#own(every);
    return ['persist', this.#reminder()];
  }

  release(): string[] {
    if (this.owned === null) return [];
    this.owned = null;
    return ['persist', 'clear reminder'];
  }

  reminder(): string[] {
    if (this.owned === null || this.owned.every === 0) return [];
    this.#own(this.owned.every);
    const effects = ['persist', this.#reminder()];
    if (this.statuses.at(-1) !== 0 && this.#last.told) effects.push(...this.#tell());
    return effects;
  }

  #own(every: number): void {
    const seconds = Math.floor(this.nowMs / 1000) + every;
    this.owned = { every, remindAtMs: every === 0 ? null : seconds * 1000 };
  }

  #reminder(): string {
    const atMs = this.owned?.remindAtMs ?? null;
    return atMs === null ? 'clear reminder' : `remind ${atMs}`;
  }

  deadline(down: boolean): string[] {
    if (this.ttlAtMs === null) return [];
    if (down) {
      this.ttl = 'notExpecting';
      this.ttlAtMs = null;
      return ['persist'];
    }
    const effects = this.#apply(1);
    this.ttl = 'expired';
    this.ttlAtMs = this.nowMs + ttlMs;
    effects.splice(1, 0, `set ${this.ttlAtMs}`);
    return effects;
  }

  finished(which: 'head' | 'stale'): string[] {
    if (which === 'stale' || this.pending.length === 0) return [];
    this.pending.shift();
    return this.pending.length === 0 ? ['persist'] : ['persist', `deliver ${this.pending[0]}`];
  }

  resumed(): string[] {
    const effects: string[] = this.owned === null ? [] : [this.#reminder()];
    if (this.ttlAtMs !== null) {
      const isOver = this.ttlAtMs <= this.nowMs;
      this.ttlAtMs = isOver ? this.nowMs + ttlMs : Math.min(this.ttlAtMs, this.nowMs + ttlMs);
      effects.push(`set ${this.ttlAtMs}`);
    }
    if (this.pending.length > 0) effects.push(`deliver ${this.pending[0]}`);
    return effects;
  }

  #apply(status: number): string[] {
    const before = this.statuses.at(-1);
    this.statuses.push(status);
    this.occurrences = status === before ? this.occurrences + 1 : 1;
    if (before === 0 && status !== 0) this.watermark = 1;
    else if (this.occurrences > this.watermark) this.watermark += 1;
    const flapping =
      this.#last.flaps && (this.state === 'flapping' ? this.change() > 20 : this.change() >= 40);
    this.state = flapping ? 'flapping' : status === 0 ? 'passing' : 'failing';
    return this.#last.told ? ['persist', ...this.#tell()] : ['persist'];
  }

  #tell(): string[] {
    this.seq += 1;
    this.pending.push(this.seq);
    return this.pending.length === 1 ? [`deliver ${this.seq}`] : [];
  }

  change(): number {
    const last = this.statuses.slice(-21);
    if (last.length < 21) return 0;
    const sum = last
      .slice(1)
      .reduce((total, status, at) => total + (status === last[at] ? 0 : 0.8 + 0.02 * at), 0);
    return Math.trunc(Math.fround(Math.fround(Math.fround(sum) / 20) * 100));
  }
}

const commands = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constant('result' as const),
        status: fc.constantFrom(0, 0, 1, 2),
        id: fc.nat(60),
        ttl: fc.boolean(),
        told: fc.boolean(),
        flaps: fc.boolean(),
      }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('deadline' as const), down: fc.boolean() }) },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('finished' as const),
        which: fc.constantFrom('head', 'stale'),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('acknowledge' as const),
        remindEverySeconds: fc.constantFrom(0, 60),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ type: 'release' as const }) },
    { weight: 1, arbitrary: fc.constant({ type: 'reminder' as const }) },
    { weight: 1, arbitrary: fc.constant({ type: 'restart' as const }) },
    // Also backwards: the wall clock may be set back.
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant('wait' as const),
        ms: fc.integer({ min: -5_000, max: 25_000 }),
      }),
    },
  ),
  { minLength: 1, maxLength: 90, size: 'max' },
);

const show = (effect: CheckEffect): string => {
  if (effect.type === 'deadline.set')
    return effect.name === 'reminder' ? `remind ${effect.atMs}` : `set ${effect.atMs}`;
  if (effect.type === 'deadline.clear') return effect.name === 'reminder' ? 'clear reminder' : 'clear';
  return effect.type === 'deliver' ? `deliver ${effect.seq}` : effect.type;
};

class Real {
  live: Live<CheckFact, CheckEffect> = bring(checkMachine, {
    input: checkInput({ namespace: 'default', entity: 'web-01', check: 'cpu' }),
  });

  get context(): CheckContext {
    return this.live.snapshot().context as CheckContext;
  }

  step(command: Command, nowMs: number): string[] {
    if (command.type === 'restart') {
      const { value, context } = this.live.snapshot();
      const stored: unknown = JSON.parse(JSON.stringify({ value, context }));
      this.live.stop();
      this.live = bring(checkMachine, { snapshot: restoreCheck(stored, checkVersion) });
    }
    const fact = this.#fact(command, nowMs);
    return fact === undefined ? [] : this.live.send(fact).map(show);
  }

  #fact(command: Command, nowMs: number): CheckFact | undefined {
    if (command.type === 'result') {
      const { status, id, ttl, told, flaps } = command;
      const thresholds = flaps ? { low_flap_threshold: 20, high_flap_threshold: 40 } : {};
      const check = { ttl: ttl ? ttlMs / 1000 : 0, handlers: told ? ['slack'] : [], ...thresholds };
      return {
        type: 'result.received',
        event: sampleEvent({ status, id: idOf(id), check }),
        nowMs,
        silenced: [],
      };
    }
    if (command.type === 'deadline') {
      return { type: 'deadline.reached', name: 'ttl', nowMs, entityDown: command.down, silenced: [] };
    }
    if (command.type === 'finished') {
      const head = this.context.pending[0]?.seq ?? 0;
      return { type: 'delivery.finished', seq: command.which === 'head' ? head : head + 1, nowMs };
    }
    if (command.type === 'acknowledge') {
      const { remindEverySeconds } = command;
      return {
        type: 'incident.acknowledged',
        nowMs,
        by: 'ada',
        owner: 'bob',
        comment: '',
        remindEverySeconds,
      };
    }
    if (command.type === 'release') return { type: 'incident.released' };
    if (command.type === 'reminder')
      return { type: 'deadline.reached', name: 'reminder', nowMs, silenced: [] };
    return command.type === 'restart' ? { type: 'check.resumed', nowMs } : undefined;
  }
}

const expected = (model: Model, command: Command): string[] => {
  switch (command.type) {
    case 'result':
      return model.result(command);
    case 'deadline':
      return model.deadline(command.down);
    case 'acknowledge':
      return model.acknowledge(command.remindEverySeconds);
    case 'release':
      return model.release();
    case 'reminder':
      return model.reminder();
    case 'finished':
      return model.finished(command.which);
    case 'restart':
      return model.resumed();
    case 'wait':
      model.nowMs += command.ms;
      return [];
  }
};

/** A restart before the first result has nothing stored to come back from. */
const isPossible = (command: Command, model: Model): boolean =>
  command.type !== 'restart' || model.statuses.length > 0;

test('the check machine does what a straightforward model does, whatever happens in whatever order', () => {
  fc.assert(
    fc.property(commands, (list) => {
      const model = new Model();
      const real = new Real();
      for (const command of list) {
        if (!isPossible(command, model)) continue;
        const effects = expected(model, command);
        assert.deepEqual(real.step(command, model.nowMs), effects, JSON.stringify(command));
        const { context } = real;
        assert.deepEqual(real.live.snapshot().value, {
          result: model.state,
          acknowledgement: model.owned === null ? 'unacknowledged' : 'acknowledged',
          ttl: model.ttl,
          delivery: model.pending.length > 0 ? 'delivering' : 'idle',
        });
        assert.equal(context.ttlAtMs, model.ttlAtMs);
        assert.deepEqual(
          context.pending.map(({ seq }) => seq),
          model.pending,
        );
        if (context.event === null) continue;
        const { check } = context.event;
        assert.deepEqual(
          check.history?.map(({ status }) => status),
          model.statuses.slice(-21),
        );
        assert.deepEqual(
          [check.occurrences, check.occurrences_watermark, check.total_state_change, check.state],
          [model.occurrences, model.watermark, model.change(), model.state],
        );
      }
      real.live.stop();
    }),
    { numRuns: 300 },
  );
});
