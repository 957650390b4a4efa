// The backend's secret: tokens are signed with it and API keys sealed. Made once, kept in the store, and so shared by
// all backends that share the store.
import { randomBytes } from 'node:crypto';
import { type Committer, commitPut } from './committer.ts';

const secretKey = 'backend-secret';
const secretBytes = 32;

/** Reads the secret, or makes it. Rejects with `storeFull` or `unavailable`. */
export const loadBackendSecret = async (committer: Committer): Promise<Uint8Array> => {
  const record = await committer.read('system', secretKey);
  if (record !== undefined) {
    committer.seed('system', secretKey, record.rev);
    return Buffer.from((record.state as { secret: string }).secret, 'base64');
  }
  const secret = randomBytes(secretBytes);
  await commitPut(committer, 'system', secretKey, {
    machine: 'backend-secret',
    version: 1,
    deadlines: [],
    state: { secret: secret.toString('base64') },
  });
  return secret;
};
