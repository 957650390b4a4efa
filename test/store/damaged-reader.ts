// A process that opens an LMDB store which may be damaged, reads all of it and writes to it: `node damaged-reader.js <dir>`.
// Prints what came of it, or ends by the signal that a bad page caused.
import { openLmdbStore } from '../../src/store/lmdb-store.ts';
import { recordKinds } from '../../src/store/snapshot-store.ts';
import { collect, put } from './records.ts';

const use = async (dir: string): Promise<string> => {
  const store = await openLmdbStore({ dir });
  for (const kind of recordKinds) await collect(store.scan(kind));
  for (let round = 0; round < 5; round += 1)
    await store.commit(
      Array.from({ length: 40 }, (_, at) => put(`k${(round * 40 + at) * 3}`, 9, { text: 'z'.repeat(600) })),
    );
  await store.close();
  return 'used';
};

console.log(await use(process.argv[2] ?? '').catch((error: Error) => `refused: ${error.message}`));
