// Selectors: the grammar, what each form means, and that no input can make the reader stumble.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSelector, parseSelectors, selects } from '../../src/model/resource/selectors.ts';
import { fc } from '../property.ts';
import { bad } from './samples.ts';

const fields = {
  'event.check.status': '2',
  'event.check.name': 'check-cpu',
  'event.entity.subscriptions': 'linux,web,entity:web-01',
  'check.publish': 'true',
  region: 'eu-west-1',
  empty: '',
};

const selected = (text: string, values: Record<string, string> = fields): boolean => {
  const reading = parseSelector(text);
  assert.equal(reading.ok, true, JSON.stringify(reading));
  return reading.ok && selects(reading.selector, values);
};

const forms: readonly (readonly [string, boolean])[] = [
  ["event.check.status == '2'", true],
  ['event.check.status == "2"', true],
  ["event.check.status != '2'", false],
  ["region == 'eu-west-1'", true],
  ['region == eu', false],
  ['missing == eu', false],
  ['missing != eu', true],
  ["'region' == 'eu-west-1'", true],
  ['check.publish == true', true],
  ['check.publish == TRUE', true],
  ['check.publish == "TRUE"', false],
  ['check.publish != false', true],
  ['linux in event.entity.subscriptions', true],
  ["'entity:web-01' in event.entity.subscriptions", true],
  ['lin in event.entity.subscriptions', false],
  ['linux notin event.entity.subscriptions', false],
  ['db NOTIN event.entity.subscriptions', true],
  ['db in missing', false],
  ['db notin missing', true],
  ["region in [us, 'eu-west-1']", true],
  ['region in [us,eu]', false],
  ['region notin [us,eu]', true],
  ['missing in [us]', false],
  ['missing notin [us]', true],
  ["region matches 'west'", true],
  ["region MATCHES 'w.st'", false],
  ["missing matches ''", false],
  ["empty matches ''", true],
  ["empty == ''", true],
  ["event.check.status == '2' && linux in event.entity.subscriptions", true],
  ["event.check.status == '2'&&region == us", false],
  ["  region\n==\t'eu-west-1'  ", true],
];

test('each form selects what it says', () => {
  for (const [text, wanted] of forms) assert.equal(selected(text), wanted, text);
});

test('names of the prototype are not fields', () => {
  assert.equal(selected('constructor == x', {}), false);
  assert.equal(selected('toString != x', {}), true);
});

const broken: readonly (readonly [string, RegExp])[] = [
  ['', /expected a field or a value, got the end at position 1$/],
  ['region', /expected one of == != in notin matches, got the end/],
  ['region = eu', /unexpected "="/],
  ['region == ', /expected a field or a value, got the end/],
  [
    'event.check.status == 2',
    /unexpected "2" \(values other than plain words must be quoted\) at position 23$/,
  ],
  ['region == eu-west', /unexpected "-"/],
  ["region == 'eu", /unterminated string at position 11$/],
  ['region in []', /expected a value, got "\]"/],
  ['region in [a b]', /expected "," or "\]", got "b"/],
  ['[a] in region', /a list is only allowed on the right side/],
  ['region == [a]', /== does not support lists/],
  ['region == a || region == b', /unexpected "|"/],
  ['(region == a)', /unexpected "\("/],
  ['a == b c == d', /expected "&&", got "c"/],
  ['a == b &&', /got the end/],
  ['a.1 == b', /"a\.1" must be quoted/],
  ["a 'in' [b]", /expected one of/],
];

test('each error contains its position', () => {
  for (const [text, why] of broken) {
    const message = bad(parseSelector(text));
    assert.match(message, /^could not parse the operations: /, text);
    assert.match(message, why, text);
  }
});

test('several selectors must all hold, and blank ones ask for nothing', () => {
  const both = parseSelectors(['', "region == 'eu-west-1'", ' ', "event.check.status == '2'"]);
  assert.ok(both.ok && both.selector.length === 2 && selects(both.selector, fields));
  const none = parseSelectors([]);
  assert.ok(none.ok && selects(none.selector, {}));
  assert.equal(parseSelectors(["region == 'x'", '==']).ok, false);
});

const piece = fc.constantFrom(
  'a',
  '.',
  ' ',
  '==',
  '!=',
  'in',
  '[',
  ']',
  ',',
  "'",
  '"',
  '&&',
  '_',
  '/',
  'é',
  '1',
  '\\',
);
const anyText = fc.oneof(
  fc.string({ maxLength: 4096 }),
  fc.array(piece, { maxLength: 2000 }).map((pieces) => pieces.join('').slice(0, 4096)),
);

test('property: any input is read or refused with a message, never thrown at', () => {
  let slowestMs = 0;
  fc.assert(
    fc.property(anyText, (text) => {
      const began = performance.now();
      const reading = parseSelector(text);
      slowestMs = Math.max(slowestMs, performance.now() - began);
      if (!reading.ok) assert.match(reading.message, /^could not parse the operations: /);
    }),
    { numRuns: 300 },
  );
  console.log(`slowest selector of 4 kB: ${slowestMs.toFixed(2)} ms`);
});

test('inputs made to backtrack are read in one pass', () => {
  for (const text of [
    'a'.repeat(60_000),
    'a.'.repeat(30_000),
    `${'a.a'.repeat(20_000)}-`,
    '['.repeat(60_000),
  ]) {
    assert.equal(parseSelector(text).ok, false);
  }
});

test('property: a quoted value equals itself and nothing else', () => {
  const value = fc.string().filter((text) => !text.includes("'"));
  fc.assert(
    fc.property(value, value, (wanted, found) => {
      assert.equal(selected(`field == '${wanted}'`, { field: found }), wanted === found);
      assert.equal(selected(`field != '${wanted}'`, { field: found }), wanted !== found);
      assert.equal(selected(`field matches '${wanted}'`, { field: found }), found.includes(wanted));
    }),
  );
});
