// Where a complaint of the API belongs in the text of the editor.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeOfField, placeOfParse } from '../../web/src/lib/json-place.ts';

const text = JSON.stringify({ command: 'x', interval: -5, subdues: [{ begin: 'noon' }] }, null, 2);

test('the field at the end of a dotted path is found in the text', () => {
  const place = placeOfField(text, 'check.subdues[0].begin must be a time (got "noon")');
  assert.equal(place?.field, 'begin');
  assert.equal(text.slice(place?.start, place?.end), '"begin"');
  assert.equal(place?.line, 6);
});

test('a field that is not there leads to the nearest one around it', () => {
  assert.equal(placeOfField(text, 'check.subdues[0].end is required')?.field, 'subdues');
});

test('a sentence without a path leads to the first field it names', () => {
  assert.equal(placeOfField(text, 'resource is invalid: the interval is too small')?.field, 'interval');
  assert.equal(placeOfField(text, 'internal error occurred'), undefined);
});

test('broken JSON is found where the parser stopped', () => {
  const broken = '{\n  "a": 1,\n  "b" 2\n}';
  let message = '';
  try {
    JSON.parse(broken);
  } catch (error) {
    message = (error as Error).message;
  }
  assert.equal(placeOfParse(broken, message)?.line, 3);
  assert.equal(placeOfParse(broken, 'JSON.parse: expected at line 3 column 7 of the JSON data')?.start, 18);
  assert.equal(placeOfParse('{', 'Unexpected end of JSON input')?.start, 1);
});
