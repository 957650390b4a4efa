import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diff } from '../../../src/http/inspect/diff.ts';
import { maxDiffEntries, maxViewEntries, maxViewStringCharacters } from '../../../src/http/inspect/limits.ts';
import { fullView, view } from '../../../src/http/inspect/view.ts';
import { fc } from '../../property.ts';

test('secret names are replaced at any depth, in any case', () => {
  const shown = view({ user: 'a', Password: 'x', deep: [{ api_key: 'y', env_vars: ['A=1'] }] });
  assert.deepEqual(shown, {
    user: 'a',
    Password: 'REDACTED',
    deep: [{ api_key: 'REDACTED', env_vars: 'REDACTED' }],
  });
});

test('the redact list of an entity holds for the event around it', () => {
  const shown = JSON.stringify(
    view({
      event: { entity: { redact: ['badge'], metadata: { labels: { badge: '1' } } }, check: { badge: '2' } },
    }),
  );
  assert.ok(!shown.includes('"1"') && !shown.includes('"2"'));
});

test('strings and lists are cut at their limits and say by how much', () => {
  assert.equal(view('x'.repeat(maxViewStringCharacters)), 'x'.repeat(maxViewStringCharacters));
  assert.match(String(view('x'.repeat(maxViewStringCharacters + 1))), /… 1 more$/);
  const list = view(Array.from({ length: maxViewEntries + 2 }, () => 1)) as unknown[];
  assert.equal(list.at(-1), '… 2 more');
});

test('what JSON cannot hold is named, and a circle ends', () => {
  const circle: Record<string, unknown> = {
    when: new Date(0),
    many: new Map([['a', 1]]),
    no: undefined,
    big: 1n,
  };
  circle.self = circle;
  const shown = view(circle, { ...fullView, depth: 2 });
  assert.deepEqual(shown, {
    when: '1970-01-01T00:00:00.000Z',
    many: { a: 1 },
    no: null,
    big: '(bigint)',
    self: { when: '1970-01-01T00:00:00.000Z', many: '{…}', no: null, big: '(bigint)', self: '{…}' },
  });
});

test('any value can be shown, and the same value never differs from itself', () => {
  fc.assert(
    fc.property(fc.anything({ withDate: true, withMap: true, withNullPrototype: true }), (value) => {
      const shown = view(value);
      JSON.stringify(shown);
      assert.deepEqual(diff(shown, view(value)), []);
    }),
  );
});

test('a difference names its paths, and there are never too many', () => {
  assert.deepEqual(diff({ a: { b: 1, c: [1, 2] } }, { a: { b: 2, c: [1, 2, 3] } }), [
    { path: 'a.b', before: 1, after: 2 },
    { path: 'a.c.2', before: null, after: 3 },
  ]);
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, n]));
  assert.equal(diff({}, many).length, maxDiffEntries);
});
