// Records as bytes: what goes in comes out, and no damage is taken for data.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { arenaChunkBytes } from '../../src/store/limits.ts';
import { decodeRecord, RecordArena, UnreadableRecord } from '../../src/store/record-codec.ts';
import { fc } from '../property.ts';
import { record } from './records.ts';

const encoded = (state: unknown): Buffer =>
  Buffer.from(new RecordArena().encode('check', 'k', record(3, state)));

it('gives back any record', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (state) => {
      const expected = JSON.parse(JSON.stringify(record(3, state)));
      assert.deepEqual(decodeRecord(encoded(state), 3), expected);
    }),
  );
});

it('notices every single flipped bit', () => {
  const bytes = encoded({ text: 'some text to rot' });
  for (let at = 0; at < bytes.length; at += 1) {
    for (let bit = 0; bit < 8; bit += 1) {
      const rotten = Buffer.from(bytes);
      rotten[at] = (rotten[at] ?? 0) ^ (1 << bit);
      assert.throws(() => decodeRecord(rotten, 3), UnreadableRecord, `byte ${at}, bit ${bit}`);
    }
  }
});

it('notices a record cut at any byte, and one under a wrong revision', () => {
  const bytes = encoded({});
  for (let length = 0; length < bytes.length; length += 1) {
    assert.throws(() => decodeRecord(bytes.subarray(0, length), 3), UnreadableRecord);
  }
  assert.throws(() => decodeRecord(bytes, 4), /revision 3 inside, 4 outside/);
});

it('lays records side by side without one touching another, also where a chunk ends and after reuse', () => {
  const arena = new RecordArena();
  for (let round = 0; round < 2; round += 1) {
    const states = Array.from({ length: 40 }, (_, n) =>
      `${round}/${n}/`.padEnd((arenaChunkBytes / 30) | 0, 'é'),
    );
    states.push('x'.repeat(arenaChunkBytes + 1));
    const all = states.map((state, n) => arena.encode('check', `k${n}`, record(1, state)));
    for (const [n, bytes] of all.entries()) assert.equal(decodeRecord(bytes, 1).state, states[n]);
    arena.reset();
  }
});
