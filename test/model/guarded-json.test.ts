// The guarded parse refuses what could hurt its readers, says where, and leaves ordinary documents alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guardValue, type JsonFault, parseGuarded } from '../../src/model/schema/guarded-json.ts';
import { fc } from '../property.ts';

const refusal = (text: string, limits = {}): { why: JsonFault; message: string } => {
  const parsed = parseGuarded(text, limits);
  assert.equal(parsed.ok, false, `accepted: ${text.slice(0, 80)}`);
  return parsed.ok ? { why: 'notJson', message: '' } : { why: parsed.why, message: parsed.message };
};

const poisoned: readonly (readonly [string, string])[] = [
  ['{"__proto__":{"polluted":true}}', '__proto__'],
  ['{"a":{"__proto__":{"polluted":true}}}', 'a.__proto__'],
  ['{"a":[1,{"__proto__":1}]}', 'a[1].__proto__'],
  ['{"\\u005f_proto__":{"polluted":true}}', '__proto__'],
  ['{"__prot\\u006F__":{"polluted":true}}', '__proto__'],
  ['{"__proto\\u005F_":null}', '__proto__'],
  ['{"constructor":{"prototype":{"polluted":true}}}', 'constructor'],
  ['{"\\u0063onstructor":{"prototype":1}}', 'constructor'],
  ['{"metadata":{"labels":{"__proto__":"x"}}}', 'metadata.labels.__proto__'],
  ['{"check":{"metadata":{"annotations":{"__proto__":{"a":"b"}}}}}', 'check.metadata.annotations.__proto__'],
];

test('keys that reach a prototype are refused wherever they hide, and nothing is polluted', () => {
  for (const [text, path] of poisoned) {
    const { why, message } = refusal(text);
    assert.equal(why, 'forbiddenKey', text);
    assert.equal(message, `${path} is not an allowed key`);
    assert.equal(parseGuarded(Buffer.from(text)).ok, false);
  }
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
});

test('the same words as values, or as labels without a prototype, are ordinary', () => {
  for (const text of [
    '{"output":"__proto__ and constructor.prototype"}',
    '{"labels":{"constructor":"acme","prototype":"7"}}',
    '{"prototype":{"constructor":1}}',
    '{"output":"a \\u003c b \\u0026 c"}',
  ]) {
    const parsed = parseGuarded(text);
    assert.deepEqual(parsed, { ok: true, value: JSON.parse(text) });
  }
});

test('depth is allowed up to the limit and refused one beyond it', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  assert.equal(parseGuarded(nested(64)).ok, true);
  assert.equal(refusal(nested(65)).why, 'tooDeep');
  assert.equal(parseGuarded('{"a":{"b":1}}', { maxDepth: 2 }).ok, true);
  assert.equal(refusal('{"a":{"b":{}}}', { maxDepth: 2 }).message, 'a.b is nested deeper than 2 levels');
});

test('a document of nothing but brackets is refused before it is parsed, whether they close or not', (t) => {
  const parse = t.mock.method(JSON, 'parse');
  const depth = 250_000;
  assert.equal(refusal('['.repeat(depth) + ']'.repeat(depth)).why, 'tooDeep');
  assert.equal(refusal(`{"refresh_token":${'['.repeat(depth)}}`).why, 'tooDeep');
  assert.equal(refusal('{"a":'.repeat(50_000)).why, 'tooDeep');
  assert.equal(parse.mock.callCount(), 0);
});

test('brackets inside of strings are text, also behind escaped quotes', () => {
  const output = `"\\${'[{'.repeat(5_000)}`;
  const document = { output, list: [output] };
  assert.deepEqual(parseGuarded(JSON.stringify(document)), { ok: true, value: document });
});

test('an array of very many empty ones is walked without a path for each', () => {
  const value = Array.from({ length: 150_000 }, () => []);
  assert.deepEqual(parseGuarded(JSON.stringify(value)), { ok: true, value });
});

test('many brackets side by side are not depth', () => {
  assert.equal(parseGuarded(`[${Array.from({ length: 500 }, () => '{}').join(',')}]`).ok, true);
});

test('keys of one object are allowed up to the limit and refused one beyond it', () => {
  const withKeys = (count: number) =>
    JSON.stringify({ labels: Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v'])) });
  assert.equal(parseGuarded(withKeys(10_000)).ok, true);
  const { why, message } = refusal(withKeys(10_001));
  assert.equal(why, 'tooManyKeys');
  assert.equal(message, 'labels has more than 10000 keys');
});

test('bytes are counted, not characters, and allowed up to the limit', () => {
  const text = '"ééé"';
  assert.equal(parseGuarded(text, { maxBytes: 8 }).ok, true);
  assert.equal(refusal(text, { maxBytes: 7 }).why, 'tooLarge');
  assert.equal(parseGuarded(Buffer.from(text), { maxBytes: 7 }).ok, false);
});

test('invalid JSON is rejected with a shortened reason', () => {
  for (const text of ['', '{', 'garbage', '{"a":}', `${'x'.repeat(10_000)}`]) {
    const { why, message } = refusal(text);
    assert.equal(why, 'notJson');
    assert.match(message, /^not valid JSON: /);
    assert.ok(message.length < 300);
  }
});

test('property: documents without forbidden keys come out as JSON.parse gives them', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
      const text = JSON.stringify(value);
      const parsed = parseGuarded(text);
      if (!parsed.ok) assert.equal(parsed.why, 'forbiddenKey');
      else assert.deepEqual(parsed.value, JSON.parse(text));
    }),
  );
});

test('property: no escape of any letter lets __proto__ through', () => {
  const escapeSome = fc
    .array(fc.boolean(), { minLength: 9, maxLength: 9 })
    .map((escaped) =>
      [...'__proto__']
        .map((c, i) => (escaped[i] ? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}` : c))
        .join(''),
    );
  fc.assert(
    fc.property(escapeSome, (key) => {
      assert.equal(refusal(`{"x":{"${key}":{"polluted":1}}}`).why, 'forbiddenKey');
    }),
  );
});

test('values from another parser are walked by the same rules', () => {
  assert.equal(guardValue(JSON.parse('{"a":{"__proto__":1}}')).ok, false);
  assert.deepEqual(guardValue({ a: [1] }), { ok: true, value: { a: [1] } });
  assert.equal(guardValue('text').ok, true);
});
