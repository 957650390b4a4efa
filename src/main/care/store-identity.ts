// Which store some settings name, so that a command and the backend it found can tell whether they mean the same one.
import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { embeddedDir } from '../../store/open-store.ts';

export interface StoreSettings {
  readonly storeUrl: string;
  readonly stateDir: string;
}

/** Holds no password. */
export const storeIdentity = ({ storeUrl, stateDir }: StoreSettings): string => {
  const dir = embeddedDir(storeUrl, stateDir);
  if (dir !== undefined) return `lmdb:${existsSync(dir) ? realpathSync(dir) : dir}`;
  return `url:${createHash('sha256').update(storeUrl).digest('hex')}`;
};

/** For people: without user and password. */
export const storeName = ({ storeUrl, stateDir }: StoreSettings): string =>
  embeddedDir(storeUrl, stateDir) ?? storeUrl.replace(/\/\/[^/]*@/, '//').replace(/\?.*$/, '');
