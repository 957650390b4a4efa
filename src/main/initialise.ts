// `mon-backend init`: makes the first user, roles and namespace of an empty store.
import { GroupCommit } from '../actors/durable/group-commit.ts';
import { openResources } from '../actors/resources/open-resources.ts';
import { realClock } from '../actors/runtime/time/clock.ts';
import { createHashingQueue } from '../http/auth/hashing-queue.ts';
import { createLog, type LogLevel } from '../program/log.ts';
import { openStore } from '../store/open-store.ts';
import type { BackendSettings } from './backend-flags.ts';
import { encryptionKeyPath, encryptionKeys } from './encryption-keys.ts';
import { endWithoutStore } from './exit-codes.ts';
import { firstUser } from './first-user.ts';
import { createTrust } from './trust.ts';

const alreadyInitialised = 3;

/** Does by hand what the first start does by itself. Resolves with the exit code. */
export const initialise = async (settings: BackendSettings): Promise<number> => {
  const log = createLog(settings.logLevel as LogLevel);
  const { authorities } = createTrust(settings.trustedCaFile);
  const store = await openStore({
    url: settings.storeUrl,
    stateDir: settings.stateDir,
    authorities,
    onOwnershipLost: (error) => endWithoutStore(error, log),
  });
  const committer = new GroupCommit({
    store,
    clock: realClock,
    onFault: (error) => log.error({ err: error }, 'a write to the store failed'),
  });
  try {
    const { table } = await openResources({
      committer,
      encryptionKeys: encryptionKeys(encryptionKeyPath(settings), log),
    });
    const done = await firstUser({ settings, table, hashing: createHashingQueue(), log });
    if (!done) console.error('this store was initialised before; nothing was changed');
    return done ? 0 : alreadyInitialised;
  } finally {
    await committer.close();
    await store.close();
  }
};
