// The stores below test/fixtures/stores: one of every format that was ever written, as LMDB and as documents of MongoDB.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { BSON, MongoClient } from 'mongodb';

const root = 'test/fixtures/stores';

export interface FixtureFormat {
  readonly format: number;
  readonly dir: string;
}

/** In order. */
export const fixtureFormats: readonly FixtureFormat[] = readdirSync(root)
  .map((name) => ({ format: Number(name.replace('format-', '')), dir: join(root, name) }))
  .sort((a, b) => a.format - b.format);

/** Makes a state directory with the embedded store and its encryption key. */
export const unpackLmdb = ({ dir }: FixtureFormat, stateDir: string): void => {
  mkdirSync(join(stateDir, 'store'), { recursive: true, mode: 0o700 });
  const data = gunzipSync(readFileSync(join(dir, 'lmdb', 'data.mdb.gz')));
  writeFileSync(join(stateDir, 'store', 'data.mdb'), data, { mode: 0o600 });
  copyFileSync(join(dir, 'lmdb', 'encryption-key'), join(stateDir, 'encryption-key'));
};

/** Fills a database; the encryption key goes into the state directory. */
export const loadMongodb = async ({ dir }: FixtureFormat, url: string, stateDir: string): Promise<void> => {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  copyFileSync(join(dir, 'mongodb', 'encryption-key'), join(stateDir, 'encryption-key'));
  const client = new MongoClient(url);
  const text = gunzipSync(readFileSync(join(dir, 'mongodb', 'documents.ndjson.gz'))).toString('utf8');
  for (const line of text.trimEnd().split('\n')) {
    const { collection, document } = BSON.EJSON.parse(line, {
      relaxed: false,
      promoteValues: true,
    } as never) as {
      collection: string;
      document: { _id: string };
    };
    await client.db().collection<{ _id: string }>(collection).insertOne(document);
  }
  await client.close();
};
