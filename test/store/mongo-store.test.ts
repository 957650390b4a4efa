// The MongoDB store on the nearest there is to MongoDB here, and what holds of it without any server.
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { plainName, safeName } from '../../src/store/mongo-document.ts';
import { openMongoStore } from '../../src/store/mongo-store.ts';
import { freePort } from '../free-port.ts';
import { fc } from '../property.ts';
import { describeMongoStore } from './mongo-suite.ts';
import { mongodbSkipReason, startMongodb } from './mongodb-server.ts';

const skip = mongodbSkipReason();
if (skip === false) {
  const server = await startMongodb();
  after(() => server.stop());
  describeMongoStore('MongoDB', server);
} else it('the MongoDB store on a server of its own', { skip });

it('says quickly that no server answers, without telling the password', async () => {
  const url = `mongodb://ann:s3cret@127.0.0.1:${await freePort()}/mon`;
  await assert.rejects(
    openMongoStore({ url, serverSelectionMs: 200 }),
    (error: Error & { code?: string }) => {
      assert.equal(error.code, 'unavailable');
      assert.match(error.message, /127\.0\.0\.1/);
      assert.doesNotMatch(error.message, /s3cret/);
      return true;
    },
  );
});

it('writes every field name as one that is no operator, and reads it back', () => {
  const name = fc.string({
    unit: fc.constantFrom('.', '$', '\u0000', '\uff0e', '\uff04', '\uff3c', '_', '0', 'a'),
  });
  fc.assert(
    fc.property(name, (plain) => {
      const safe = safeName(plain);
      assert.ok(safe !== '' && !safe.startsWith('$') && !/[.]/.test(safe) && !safe.includes('\0'), safe);
      assert.equal(plainName(safe), plain);
    }),
    { numRuns: 2_000 },
  );
  assert.notEqual(safeName('_bsontype'), '_bsontype');
  for (const plain of ['_bsontype', '', '$where', 'a.b']) assert.equal(plainName(safeName(plain)), plain);
});
