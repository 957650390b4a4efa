// Merge patches: the table of RFC 7396, appendix A, its laws, and what a resource never lets go of.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergePatch, patchResource } from '../../src/model/resource/merge-patch.ts';
import { fc } from '../property.ts';
import { bad, good } from './samples.ts';

const rfcTable: readonly (readonly [unknown, unknown, unknown])[] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

test('every row of the RFC holds', () => {
  for (const [target, patch, wanted] of rfcTable) {
    assert.deepEqual(mergePatch(target, patch), wanted, JSON.stringify([target, patch]));
  }
});

const json = fc.jsonValue({ maxDepth: 4 });
const object = fc.dictionary(fc.string(), json);

test('property: patching twice changes nothing more, and neither argument is touched', () => {
  fc.assert(
    fc.property(object, object, (target, patch) => {
      const before = JSON.stringify([target, patch]);
      const once = mergePatch(target, patch);
      assert.deepEqual(mergePatch(once, patch), once);
      assert.equal(JSON.stringify([target, patch]), before);
    }),
  );
});

test('property: an empty patch changes nothing', () => {
  fc.assert(fc.property(object, (target) => assert.deepEqual(mergePatch(target, {}), { ...target })));
});

test('a patch cannot reach a prototype', () => {
  const patch: unknown = JSON.parse('{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1}}}');
  const merged = mergePatch({ a: {} }, patch) as Record<string, Record<string, unknown>>;
  assert.equal(merged.polluted, undefined);
  assert.equal(merged.a?.polluted, undefined);
  assert.deepEqual([Object.keys(merged), Object.keys(merged.a ?? {})], [['a'], []]);
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
  assert.equal(Object.getPrototypeOf(merged), Object.prototype);
});

const identity = { name: 'cpu', namespace: 'default' };
const stored = { metadata: { ...identity, labels: { a: '1', b: '2' } }, interval: 60, handlers: ['x'] };

test('a resource is patched, and keeps its name and namespace whatever the patch empties', () => {
  for (const metadata of [{}, null, { name: null, namespace: '' }, { name: 'cpu' }]) {
    const patched = good(patchResource(stored, { metadata, interval: 10 }, identity));
    assert.deepEqual(
      [(patched.metadata as { name: string }).name, (patched.metadata as { namespace: string }).namespace],
      ['cpu', 'default'],
    );
    assert.equal(patched.interval, 10);
  }
  const labelled = good(patchResource(stored, { metadata: { labels: { a: null, c: '3' } } }, identity));
  assert.deepEqual((labelled.metadata as { labels: unknown }).labels, { b: '2', c: '3' });
});

test('a patch that names another resource is refused', () => {
  assert.equal(
    bad(patchResource(stored, { metadata: { name: 'disk' } }, identity)),
    'the name of the resource (disk) does not match the name in the URI (cpu)',
  );
  assert.equal(
    bad(patchResource(stored, { metadata: { namespace: 'prod' } }, identity)),
    'the namespace of the resource (prod) does not match the namespace in the URI (default)',
  );
  assert.equal(bad(patchResource(stored, ['x'], identity)), 'a merge patch must be an object');
});
