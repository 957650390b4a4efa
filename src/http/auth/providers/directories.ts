// Verifies a login against all directories. Concurrency and duration are limited, so that an unresponsive directory
// only affects logins waiting for it.

import type { Resource } from '../../../actors/resources/resource-table.ts';
import type { Resources } from '../../../actors/resources/resources.ts';
import type { AuthProvider, DirectoryProvider } from '../../../model/access/auth-provider.ts';
import { runtimeAuthorities, type TrustedAuthorities } from '../../../model/access/trusted-authorities.ts';
import { MonError } from '../../../model/errors.ts';
import { within } from '../../../model/time/within.ts';
import type { Log } from '../../log.ts';
import { askDirectory, type DirectoryAnswer } from './directory.ts';
import type { Identity } from './identity.ts';
import { directoryLoginTimeoutMs, maxDirectoryLogins } from './limits.ts';

export const providersSegment = 'authproviders';

export interface Directories {
  /**
   * Null if no directory accepts the login. Rejects with `unavailable` if too many logins are waiting, or no
   * directory could be reached.
   */
  login(name: string, password: string): Promise<Identity | null>;
  /** Looks up a logged-in user again; null if the user no longer exists. Rejects with `unavailable`. */
  lookUp(identity: Identity): Promise<Identity | null>;
  /** Number of pending requests. */
  readonly underWay: number;
}

const isDirectory = (provider: AuthProvider): provider is DirectoryProvider => provider.type !== 'oidc';

const inTime = (work: Promise<DirectoryAnswer>): Promise<DirectoryAnswer> =>
  within(work, directoryLoginTimeoutMs, () => ({
    type: 'unreachable',
    why: `no response within ${directoryLoginTimeoutMs} ms`,
  }));

export const createDirectories = (
  table: Resources,
  log: Log,
  authorities: TrustedAuthorities = runtimeAuthorities,
): Directories => {
  let underWay = 0;

  const ask = async (
    provider: DirectoryProvider,
    name: string,
    password: string | null,
  ): Promise<DirectoryAnswer> => {
    if (underWay >= maxDirectoryLogins)
      throw new MonError('unavailable', 'too many logins at once; try again in a moment');
    underWay += 1;
    const work = askDirectory(provider, name, password, authorities).finally(() => {
      underWay -= 1;
    });
    const answer = await inTime(work);
    const about = { provider: provider.metadata.name, user: name };
    if (answer.type === 'found' && table.get('users', '', answer.identity.username) !== undefined) {
      const why = 'a local user has this name; set a username_prefix in the provider';
      log.warn(about, `directory login refused: ${why}`);
      return { type: 'refused', why };
    }
    if (answer.type === 'found')
      log.info({ ...about, groups: answer.identity.groups.length }, 'directory login accepted');
    else
      log[answer.type === 'refused' ? 'info' : 'error'](
        { ...about, why: answer.why },
        'directory login rejected',
      );
    return answer;
  };

  return {
    get underWay() {
      return underWay;
    },
    async login(name, password) {
      const providers = table.list(providersSegment).items.map(asProvider).filter(isDirectory);
      let unreachable = 0;
      for (const provider of providers) {
        const answer = await ask(provider, name, password);
        if (answer.type === 'found') return answer.identity;
        if (answer.type === 'unreachable') unreachable += 1;
      }
      if (unreachable > 0 && unreachable === providers.length)
        throw new MonError('unavailable', 'no directory can be reached; try again in a moment');
      return null;
    },
    async lookUp(identity) {
      const kept = table.get(providersSegment, '', identity.provider.id);
      const provider = kept === undefined ? undefined : asProvider(kept);
      if (provider === undefined || !isDirectory(provider)) return null;
      // Without a bind account the directory cannot be queried.
      if (provider.spec.servers.every(({ binding }) => binding === null)) return identity;
      const answer = await ask(provider, identity.loginName, null);
      if (answer.type === 'unreachable')
        throw new MonError('unavailable', 'the directory cannot be reached; try again in a moment');
      const isSame = answer.type === 'found' && answer.identity.username === identity.username;
      return isSame ? answer.identity : null;
    },
  };
};

const asProvider = (resource: Resource): AuthProvider => resource as unknown as AuthProvider;
