// A process with an LMDB store open, for tests of what happens between processes. `node lmdb-child.js <dir>`.
import { openLmdbStore } from '../../src/store/lmdb-store.ts';

const dir = process.argv[2] ?? '';
openLmdbStore({ dir }).then(
  () => {
    process.send?.({ type: 'open' });
    setInterval(() => {}, 1_000);
  },
  (error: Error) => process.send?.({ type: 'refused', message: error.message }, () => process.exit(1)),
);
