// Identifies the store of a configuration, so that a command can verify that the backend it found serves the same store.
import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { embeddedDir } from '../../store/open-store.ts';

export interface StoreSettings {
  readonly storeUrl: string;
  readonly stateDir: string;
}

/** Contains no password. */
export const storeIdentity = ({ storeUrl, stateDir }: StoreSettings): string => {
  const dir = embeddedDir(storeUrl, stateDir);
  if (dir !== undefined) return `lmdb:${existsSync(dir) ? realpathSync(dir) : dir}`;
  return `url:${createHash('sha256').update(storeUrl).digest('hex')}`;
};

/** For display: without user and password. */
export const storeName = ({ storeUrl, stateDir }: StoreSettings): string =>
  embeddedDir(storeUrl, stateDir) ?? storeUrl.replace(/\/\/[^/]*@/, '//').replace(/\?.*$/, '');
