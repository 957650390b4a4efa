// Makes the fixture of a store format: `node dist/test/maintenance/make-store-fixture.js test/fixtures/stores/format-N`. Run it
// with the last program that writes the format, before the format changes. It leaves
//   lmdb/data.mdb.gz, lmdb/encryption-key   the state directory of a backend that was killed with deliveries pending
//   mongodb/documents.ndjson.gz             every document of the database: `{"collection": ..., "document": <EJSON>}` a line
//   mongodb/encryption-key
// In format 1 two entities were put back to version 1 of their record by hand.
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { BSON, MongoClient } from 'mongodb';
import { startBackend, tempDir } from '../acceptance/programs.ts';
import { freePort } from '../free-port.ts';
import { startStandIn } from '../store/mongodb-server.ts';
import { populate } from './full-store.ts';

const fill = async (dir: string, out: string, args: readonly string[]): Promise<void> => {
  const port = await freePort();
  const earlier = `http://127.0.0.1:${port}`;
  await mkdir(out, { recursive: true });
  const backend = await startBackend(join(dir, 'state'), ['--earlier-api-port', `${port}`, ...args]);
  try {
    await populate(backend, earlier, dir);
  } finally {
    await backend.program.kill('SIGKILL');
  }
  await copyFile(join(dir, 'state', 'encryption-key'), join(out, 'encryption-key'));
};

const exportDocuments = async (url: string, file: string): Promise<void> => {
  const client = new MongoClient(url);
  const lines: string[] = [];
  for (const { name } of await client.db().listCollections().toArray())
    for (const document of await client.db().collection(name).find().toArray())
      if (String(document._id) !== 'owner')
        lines.push(BSON.EJSON.stringify({ collection: name, document }, { relaxed: false }));
  await client.close();
  await writeFile(file, gzipSync(`${lines.join('\n')}\n`));
};

const [out = ''] = process.argv.slice(2);
if (out === '') throw new Error('usage: make-store-fixture.js DIRECTORY');
await tempDir(async (dir) => {
  const lmdb = join(out, 'lmdb');
  await fill(dir, lmdb, []);
  const data = await readFile(join(dir, 'state', 'store', 'data.mdb'));
  await writeFile(join(lmdb, 'data.mdb.gz'), gzipSync(data, { level: 9 }));
});
const server = await startStandIn();
try {
  await tempDir(async (dir) => {
    const mongodb = join(out, 'mongodb');
    await fill(dir, mongodb, ['--store-url', `${server.url}/fixture`]);
    await exportDocuments(`${server.url}/fixture`, join(mongodb, 'documents.ndjson.gz'));
  });
} finally {
  await server.stop();
}
