// Picks the store by its URL: none or `lmdb:` is the embedded one in the state directory, `mongodb:` a server.
import { join, resolve } from 'node:path';
import type { TrustedAuthorities } from '../model/trusted-authorities.ts';
import { openLmdbStore } from './lmdb-store.ts';
import { openMongoStore } from './mongo-store.ts';
import { type SnapshotStore, StoreError } from './snapshot-store.ts';

export interface StoreLocation {
  /** `--store-url`. `lmdb:<directory>` puts the embedded store somewhere else than below the state directory. */
  readonly url?: string | undefined;
  /** `--state-dir`. */
  readonly stateDir: string;
  /** Called when another backend took the store over from this process, which must end then. */
  readonly onOwnershipLost: (error: StoreError) => void;
  /** Whom to trust about a server reached over TLS, unless the URL says so itself. Asked once. */
  readonly authorities?: TrustedAuthorities;
}

/** Opens the store; rejects with StoreError, 'invalid' when the URL names no store we know. */
export async function openStore({
  url = '',
  stateDir,
  authorities,
  onOwnershipLost,
}: StoreLocation): Promise<SnapshotStore> {
  const scheme = /^([a-z+]+):/i.exec(url)?.[1]?.toLowerCase();
  if (url === '' || url === 'lmdb') return openLmdbStore({ dir: join(stateDir, 'store') });
  if (scheme === 'lmdb') return openLmdbStore({ dir: lmdbDir(url, stateDir) });
  if (scheme === 'mongodb' || scheme === 'mongodb+srv') {
    return openMongoStore({ url, onOwnershipLost, ...(authorities === undefined ? {} : { authorities }) });
  }
  throw new StoreError(
    'invalid',
    `store-url must begin with mongodb://, mongodb+srv:// or lmdb: (got ${scheme ? `${scheme}:...` : `${url.length} characters without a scheme`}); ` +
      'leave it out to keep the data in the state directory',
  );
}

function lmdbDir(url: string, stateDir: string): string {
  const path = url.slice('lmdb:'.length).replace(/^\/\/(?=\/)/, '');
  return path === '' || path === '//' ? join(stateDir, 'store') : resolve(stateDir, path);
}
