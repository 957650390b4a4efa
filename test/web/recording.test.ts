// A saved recording is read back; what is none is refused with the reason.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ActorView } from '../../src/http/inspect/protocol.ts';
import { fileNameOf, readRecording, recordingOf } from '../../web/src/lib/recording.ts';

const view = { row: { id: 'check:default/web-01/disk', machine: 'check' }, sha: 'abc', canControl: true };
const recording = recordingOf(view as unknown as ActorView, [], 0);

test('a recording is read back as it was saved, without the right to touch', () => {
  const found = readRecording(JSON.stringify(recording));
  assert.deepEqual(found, recording);
  assert.equal(found.sha, 'abc');
  assert.equal(found.view.canControl, false);
});

test('what is no recording is refused with the reason', () => {
  assert.throws(() => readRecording('{'), /not JSON/);
  assert.throws(() => readRecording('null'), /no recording/);
  assert.throws(() => readRecording('{"format":"other"}'), /no recording/);
  assert.throws(() => readRecording(JSON.stringify({ ...recording, frames: [{}] })), /damaged/);
});

test('the file is named after the actor and the moment', () => {
  assert.equal(fileNameOf(recording), 'check_default_web-01_disk-1970-01-01T00-00-00-000Z.json');
});
