// Opens a store by URL: none or `lmdb:` is the embedded store in the state directory, `mongodb:` a server.
import { join, resolve } from 'node:path';
import type { TrustedAuthorities } from '../model/access/trusted-authorities.ts';
import type { OpenPurpose } from './format-marker.ts';
import { openLmdbStore } from './lmdb-store.ts';
import type { MaintainedStore } from './maintained-store.ts';
import type { OwnerNotes, StandBy } from './mongo-owner.ts';
import type { SharedStore } from './record-fence.ts';
import { StoreError } from './snapshot-store.ts';

export interface StoreLocation {
  /** `--store-url`. `lmdb:<directory>` sets the directory of the embedded store. */
  readonly url?: string | undefined;
  /** `--state-dir`. */
  readonly stateDir: string;
  /** Called when another backend took over the store; this process must exit. */
  readonly onOwnershipLost: (error: StoreError) => void;
  /** MongoDB only: what backends that wait for this one are told about it. */
  readonly notes?: (() => OwnerNotes) | undefined;
  /** MongoDB only: waits while another backend owns the database. If absent, that is an error. */
  readonly standBy?: StandBy | undefined;
  /** Trusted authorities for TLS, unless the URL specifies them. Read once. */
  readonly authorities?: TrustedAuthorities;
  /** Default `serve`. */
  readonly purpose?: OpenPurpose;
}

/** Opens the store; rejects with StoreError 'invalid' if the URL is not supported. */
export async function openStore({
  url = '',
  stateDir,
  authorities,
  onOwnershipLost,
  notes,
  standBy,
  purpose = 'serve',
}: StoreLocation): Promise<MaintainedStore> {
  const dir = embeddedDir(url, stateDir);
  if (dir !== undefined) return openLmdbStore({ dir, purpose });
  const scheme = schemeOf(url);
  if (scheme === 'mongodb' || scheme === 'mongodb+srv') {
    // A third of a second to load, which most programs never need.
    const { openMongoStore } = await import('./mongo-store.ts');
    return openMongoStore({
      url,
      onOwnershipLost,
      notes,
      standBy,
      purpose,
      ...(authorities === undefined ? {} : { authorities }),
    });
  }
  throw new StoreError(
    'invalid',
    `store-url must begin with mongodb://, mongodb+srv:// or lmdb: (got ${scheme ? `${scheme}:...` : `${url.length} characters without a scheme`}); ` +
      'leave it out to keep the data in the state directory',
  );
}

/** A MongoDB database that the members of a cluster serve together. Rejects as `openStore` does. */
export async function openMemberStore({
  url = '',
  authorities,
}: Pick<StoreLocation, 'url' | 'authorities'>): Promise<SharedStore> {
  const { openMongoStore } = await import('./mongo-store.ts');
  return openMongoStore({ url, isMember: true, ...(authorities === undefined ? {} : { authorities }) });
}

const schemeOf = (url: string): string | undefined => /^([a-z+]+):/i.exec(url)?.[1]?.toLowerCase();

/** The directory of the embedded store; undefined when the URL names something else. */
export function embeddedDir(url: string, stateDir: string): string | undefined {
  if (url === '' || url === 'lmdb') return join(stateDir, 'store');
  return schemeOf(url) === 'lmdb' ? lmdbDir(url, stateDir) : undefined;
}

function lmdbDir(url: string, stateDir: string): string {
  const path = url.slice('lmdb:'.length).replace(/^\/\/(?=\/)/, '');
  return path === '' || path === '//' ? join(stateDir, 'store') : resolve(stateDir, path);
}
