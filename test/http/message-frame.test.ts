// Frames of our own are the frames of the WebSocket library.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as ws from 'ws';
import { messageFrame } from '../../src/http/edge/message-frame.ts';

/** Exported by the library and missing in its types. */
const { Sender } = ws as unknown as {
  readonly Sender: { frame(data: Buffer, options: object): readonly Buffer[] };
};

for (const length of [0, 1, 125, 126, 127, 65_535, 65_536, 70_000]) {
  test(`a message of ${length} bytes is framed as the library frames it`, () => {
    const payload = Buffer.alloc(length, 'é');
    const options = { fin: true, rsv1: false, opcode: 2, mask: false, readOnly: true };
    assert.ok(messageFrame(payload).equals(Buffer.concat(Sender.frame(payload, options))));
  });
}

test('the same message for many is framed once; another one is another frame', () => {
  const [one, other] = [Buffer.from('one'), Buffer.from('other')];
  const first = messageFrame(one);
  assert.equal(messageFrame(one), first);
  assert.equal(messageFrame(other).toString('latin1', 2), 'other');
  assert.equal(messageFrame(one).toString('latin1', 2), 'one');
});
