import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { filterLimits, maxQueuedEvaluations, maxStrikes } from '../../src/pipeline/limits.ts';
import { isPlainReading, withoutTrailer } from '../../src/pipeline/sandbox/plain-expression-rule.ts';
import type { ExpressionOutcome, FilterProgram } from '../../src/pipeline/sandbox/protocol.ts';
import { Sandbox } from '../../src/pipeline/sandbox/sandbox.ts';
import { nowMs } from './fixtures.ts';

const eventJson = JSON.stringify({
  timestamp: 1_700_000_000,
  entity: { metadata: { name: 'web-01', labels: { region: 'eu' } } },
  check: {
    status: 2,
    occurrences: 3,
    output: 'CRITICAL 99 %',
    handlers: ['slack'],
    history: [{ status: 0 }, { status: 2 }],
  },
});

const program = (expressions: readonly string[], action: 'allow' | 'deny' = 'allow'): FilterProgram => ({
  name: 'f',
  action,
  expressions,
  scripts: [],
});

const sandbox = new Sandbox(filterLimits);
after(() => sandbox.close());

const outcomeOf = async (text: string, on: Sandbox = sandbox): Promise<ExpressionOutcome | undefined> =>
  (await on.evaluate(eventJson, nowMs, [program([text])]))[0]?.outcomes[0];

const truth = async (text: string): Promise<boolean> => {
  const outcome = await outcomeOf(text);
  assert.equal(outcome?.type, 'value', `${text} -> ${JSON.stringify(outcome)}`);
  return outcome.type === 'value' && outcome.truthy;
};

describe('expressions', () => {
  const table: readonly (readonly [text: string, truthy: boolean])[] = [
    ['event.check.status == 2', true],
    ['event.check.status == 2;', true],
    ['event.check.status == 1', false],
    ['event.check.occurrences == 1 || event.check.occurrences % (3600 / 1200) == 0', true],
    ['event.entity.labels.region', true],
    ['event.entity.labels.nowhere', false],
    ['event.check.output.indexOf("CRIT") === 0', true],
    ['/crit/i.test(event.check.output)', true],
    // Programs: the last value counts, statements and functions are allowed.
    ['var n = 8; n > event.check.status', true],
    ['(function () { var hours = [8, 9]; return hours.indexOf(9) === 1 })()', true],
    ['event.check.history.some(h => h.status == 2)', true],
    ['if (event.check.status == 2) { true } else { false }', true],
    ['{}', false],
    ['', false],
    ['Math.max.apply(null, [1, 2]) === 2', true],
    // Helpers: unix seconds, UTC, 0 without an argument. 1,700,000,000 is Tuesday 2023-11-14 22:13:20.
    [
      'hour(event.timestamp) === 22 && minute(event.timestamp) === 13 && second(event.timestamp) === 20',
      true,
    ],
    ['weekday(event.timestamp) === 2', true],
    ['hour() === 0 && weekday() === 0 && seconds_since() === 0', true],
    [`seconds_since(${nowMs / 1000 - 90}) === 90`, true],
  ];
  for (const [text, truthy] of table)
    it(`${truthy ? 'hold' : 'do not hold'}: ${text || '(nothing)'}`, async () => {
      assert.equal(await truth(text), truthy);
    });

  const failures: readonly (readonly [text: string, kind: string, message: RegExp])[] = [
    ['event.check.status ==', 'syntax', /line 1/],
    ['a) + (b', 'syntax', /./],
    ['nowhere.x', 'threw', /ReferenceError.*nowhere/],
    ['event.metrics.points', 'threw', /TypeError/],
    ['throw "no"', 'threw', /^no$/],
    ['throw { get message() { throw 1 } }', 'threw', /without a message/],
    ['new Proxy({}, {})', 'threw', /Proxy/],
    ['while (true) {}', 'slow', /interrupted/],
    ['while (true) { try { while (true) {} } catch (e) {} }', 'slow', /interrupted/],
    ['/^(a+)+$/.test("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab")', 'slow', /interrupted/],
    ['throw { get message() { while (true) {} } }', 'threw', /without a message/],
    ['"x".repeat(20000000).length', 'memory', /memory/],
    ['function f() { return f() + 1 }; f()', 'recursion', /stack/],
    [`${'('.repeat(20_000)}1${')'.repeat(20_000)}`, 'recursion', /stack/],
    ['x'.repeat(70_000), 'syntax', /65536/],
  ];
  for (const [text, kind, message] of failures)
    it(`fail as data: ${text.slice(0, 60)}`, async () => {
      const outcome = await outcomeOf(text, fresh());
      assert.equal(outcome?.type, 'failed');
      if (outcome?.type !== 'failed') return;
      assert.equal(outcome.kind, kind, outcome.message);
      assert.match(outcome.message, message);
    });

  it('are stopped when they grow without end, whichever limit they meet first', async () => {
    for (const text of ['var a = []; while (true) a.push([1, 2])', 'var s = "x"; while (true) s += s']) {
      const outcome = await outcomeOf(text, fresh());
      assert.ok(
        outcome?.type === 'failed' && ['memory', 'slow', 'hung', 'threw'].includes(outcome.kind),
        text,
      );
    }
  });

  it('find nothing of the host', async () => {
    for (const name of [
      'process',
      'require',
      'fetch',
      'setTimeout',
      'Worker',
      'WebAssembly',
      'SharedArrayBuffer',
    ])
      assert.equal(await truth(`typeof ${name} === "undefined"`), true, name);
    const outside = await outcomeOf('this.constructor.constructor("return process")().version');
    assert.equal(outside?.type, 'failed');
    assert.equal(await truth('Object.keys(sensu).length === 0 && Object.keys(mon).length === 0'), true);
  });

  it('leave nothing behind for the next one', async () => {
    const attempts = [
      'x = 5; true',
      'globalThis.x = 5; true',
      'var x = 5; true',
      'Object.prototype.x = 5; true',
      'Array.prototype.indexOf = function () { return 7 }; true',
      'hour = function () { return 99 }; true',
      'event.check.status = 0; true',
      'delete event.check.status; true',
      'event.check.handlers.push("z"); true',
      'event.check.handlers.push   ("z") > 0',
      'event.check.history.sort(function () { return 1 }); true',
      'event["check"]["handlers"]["pop"]() !== 1',
      '[1].some(event.check.handlers.push, event.check.handlers) || true',
      '({ toString: event.check.handlers.pop, __proto__: event.check.handlers }) + "" || true',
      'event.check.handlers.push`z`; true',
      'event.check.handlers.p\\u0075sh("z") > 0',
      'Object.defineProperty(event, "check", { value: 1 }); true',
      'event.check = null; true',
    ];
    const untouched = [
      'typeof x === "undefined"',
      'hour(event.timestamp) === 22',
      'event.check.handlers.indexOf("slack") === 0',
      'event.check.handlers.length === 1 && event.check.history[0].status === 0 && event.check.status === 2',
      'var o = {}; o.x === undefined && event.check.handlers.length === 1',
    ];
    for (const attempt of attempts) {
      const filters = [program([attempt], 'deny'), ...untouched.map((text) => program([text]))];
      const [, ...runs] = await sandbox.evaluate(eventJson, nowMs, filters);
      for (const [index, run] of runs.entries())
        assert.deepEqual(run.outcomes, [{ type: 'value', truthy: true }], `${attempt} | ${untouched[index]}`);
    }
  });

  it('stop where the filter is decided', async () => {
    const lengths = async (action: 'allow' | 'deny', expressions: readonly string[]) =>
      (await sandbox.evaluate(eventJson, nowMs, [program(expressions, action)]))[0]?.outcomes.length;
    assert.equal(await lengths('allow', ['true', 'false', 'true']), 2);
    assert.equal(await lengths('deny', ['false', 'true', 'true']), 2);
    assert.equal(await lengths('deny', ['false', 'nowhere', 'false']), 3);
    assert.equal(await lengths('allow', ['nowhere', 'true', 'false', 'true']), 3);
  });

  it('see the scripts of runtime assets', async () => {
    const filters = [
      { ...program(['isBad(event.check.status)']), scripts: ['function isBad(s) { return s > 1 }'] },
    ];
    const [run] = await sandbox.evaluate(eventJson, nowMs, filters);
    assert.deepEqual(run?.outcomes, [{ type: 'value', truthy: true }]);
  });

  it('survive their neighbours in one evaluation: a stopped one costs the others nothing', async () => {
    const bad = 'while (true) { "neighbour" }';
    const filters = [program(['event.check.status == 2']), program([bad], 'deny'), program(['hour(0) == 0'])];
    const runs = await fresh().evaluate(eventJson, nowMs, filters);
    assert.deepEqual(
      runs.map((run) => run.outcomes[0]?.type),
      ['value', 'failed', 'value'],
    );
  });
});

// Expressions that cost an interpreter get a sandbox without a past, so that none rests on the bench yet.
const opened: Sandbox[] = [];
const fresh = (): Sandbox => {
  const one = opened.length < 4 ? new Sandbox(filterLimits) : opened[opened.length % 4];
  if (one === undefined) throw new Error('no sandbox');
  if (!opened.includes(one)) opened.push(one);
  return one;
};
after(() => Promise.all(opened.map((one) => one.close())));

describe('the sandbox', () => {
  it('takes the largest events there are', async () => {
    const large = JSON.stringify({ entity: {}, check: { status: 2, output: 'ä"'.repeat(300_000) } });
    const [run, fresh] = await sandbox.evaluate(large, nowMs, [
      program(['event.check.output.length === 600000']),
      program(['var n = event.check.output.length; n === 600000']),
    ]);
    assert.deepEqual(run?.outcomes, [{ type: 'value', truthy: true }]);
    assert.deepEqual(fresh?.outcomes, [{ type: 'value', truthy: true }]);
  });

  it('keeps nothing of what it evaluated: thousands of programs fit into its memory', async () => {
    const texts = [
      'var a = {}; a.a = a; event.check.handlers.push(a); true',
      'nowhere',
      'throw { a: event }',
      '1 +',
    ];
    for (let round = 0; round < 10; round += 1) {
      const filters = Array.from({ length: 100 }, (_, index) =>
        program([texts[index % texts.length] ?? '', `${round}`], 'deny'),
      );
      for (const run of await sandbox.evaluate(eventJson, nowMs + round, filters))
        for (const outcome of run.outcomes)
          assert.ok(
            outcome.type === 'value' || ['threw', 'syntax'].includes(outcome.kind),
            JSON.stringify(outcome),
          );
    }
  });
});

describe('the thread of the sandbox', () => {
  it('is ended when a program hangs in native code, and everything else of the evaluation is still answered', async () => {
    const hung = new Sandbox(filterLimits);
    try {
      const hang = 'Array.prototype.indexOf.call({ length: Math.pow(2, 53) }, 1) == 5';
      const filters = [
        program(['event.check.status == 2']),
        program([hang]),
        program(['event.check.status == 2']),
      ];
      const bystander = hung.evaluate(eventJson, nowMs, [program(['hour(0) == 0'])]);
      const [runs, other] = await Promise.all([
        hung.evaluate(eventJson, nowMs, filters),
        hung.evaluate(eventJson, nowMs, [program(['weekday(0) == 4'])]),
      ]);
      const first = (run: (typeof runs)[number] | undefined) => run?.outcomes[0];
      assert.deepEqual(first(runs[0]), { type: 'value', truthy: true });
      assert.deepEqual(first(runs[2]), { type: 'value', truthy: true });
      assert.deepEqual(first(other[0]), { type: 'value', truthy: true });
      assert.deepEqual(first((await bystander)[0]), { type: 'value', truthy: true });
      const culprit = first(runs[1]);
      assert.equal(culprit?.type === 'failed' && culprit.kind, 'hung');
      const again = await outcomeOf(hang, hung);
      assert.equal(again?.type === 'failed' && again.kind, 'resting');
    } finally {
      await hung.close();
    }
  });

  it('runs a slow expression no more after a few stops in a row', async () => {
    const slow = new Sandbox(filterLimits);
    try {
      const kinds: unknown[] = [];
      for (let time = 0; time <= maxStrikes; time += 1) {
        const outcome = await outcomeOf('while (true) {}', slow);
        kinds.push(outcome?.type === 'failed' && outcome.kind);
      }
      assert.deepEqual(kinds, ['slow', 'slow', 'slow', 'resting']);
    } finally {
      await slow.close();
    }
  });

  it('refuses with an outage after it was closed, and what still waits as well', async () => {
    const closing = new Sandbox(filterLimits);
    const waiting = assert.rejects(outcomeOf('true', closing), { kind: 'unavailable' });
    await closing.close();
    await waiting;
    await assert.rejects(outcomeOf('true', closing), { kind: 'unavailable' });
  });
});

describe('validateExpression', () => {
  it('says nothing of what parses, and where it fails of what does not', async () => {
    assert.equal(await sandbox.validateExpression('event.check.status == 2; true'), null);
    assert.match((await sandbox.validateExpression('1 +\n * 2')) ?? '', /line 2, column/);
    assert.match((await sandbox.validateExpression('return 1')) ?? '', /return/);
  });

  it('does not run the text', async () => {
    assert.equal(await sandbox.validateExpression('while (true) {}'), null);
  });
});

describe('an expression that only reads', () => {
  const plain = [
    'event.check.status == 2',
    'event.check.labels["a"] === "b" && !(event.check.status <= 1)',
    'event.check.output.indexOf("x") >= 0',
    'typeof (event.check) === "object" ? 1 : (2)',
    'hour(event.timestamp) < 9 || weekday(event.timestamp) in [0, 6]',
    'Math.round(event.check.duration) > 3',
  ];
  for (const text of plain) it(`is: ${text}`, () => assert.equal(isPlainReading(text), true));
  const writing = [
    'a = 1',
    'a += 1',
    'a >>= 1',
    'a++',
    'delete a.b',
    'f(1)',
    'a.push(1)',
    `a.push${' '.repeat(200)}(1)`,
    'a["push"](1)',
    '(a.push)(1)',
    'a?.push?.(1)',
    'a.push/* */(1)',
    'a.push`1`',
    'new a',
    '[1].map(x => x)',
    'p\\u0075sh(1)',
    'a; b',
    '{}',
    'this.x',
  ];
  for (const text of writing)
    it(`is not: ${text.replace(/ {9,}/, ' .. ')}`, () => assert.equal(isPlainReading(text), false));
  it('may end with semicolons and spaces', () => assert.equal(withoutTrailer(' a ; ;\n'), ' a'));
});

describe('the queue of the sandbox', () => {
  it('limits the number of queued evaluations and rejects one more', async () => {
    const busy = new Sandbox(filterLimits);
    const underWay: Promise<unknown>[] = [];
    // All in one turn: the worker has not begun yet, so nothing leaves the queue.
    for (let at = 0; at < maxQueuedEvaluations; at += 1)
      underWay.push(busy.evaluate('{}', nowMs, [program(['true'])]));
    for (const one of underWay) one.catch(() => {});
    assert.equal(busy.waiting, maxQueuedEvaluations);
    await assert.rejects(busy.evaluate('{}', nowMs, [program(['true'])]), /10000 evaluations waiting/);
    await busy.close();
  });
});
