// The backend's secret: tokens are signed with it and API keys sealed. Made once, kept in the store, and so shared by
// all backends that share the store. It is sealed itself, with a key that is not in the store.
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Committer, commitPut } from './committer.ts';
import { createVault, isSealed, type Vault, VaultError } from './vault.ts';

const secretKey = 'backend-secret';
const secretBytes = 32;

export interface LoadedSecret {
  readonly secret: Uint8Array;
  /** Undefined: nothing is sealed. */
  readonly vault: Vault | undefined;
}

const stateOf = (secret: Uint8Array, vault: Vault | undefined): unknown => {
  const text = Buffer.from(secret).toString('base64');
  return vault === undefined ? { secret: text } : vault.seal(secretKey, text);
};

const write = (committer: Committer, state: unknown): Promise<void> =>
  commitPut(committer, 'system', secretKey, { machine: 'backend-secret', version: 1, deadlines: [], state });

const read = (state: unknown, vault: Vault | undefined): Uint8Array => {
  if (!isSealed(state)) return Buffer.from((state as { secret: string }).secret, 'base64');
  if (vault === undefined) throw new VaultError(`${secretKey} is sealed, and no encryption key was given`);
  return Buffer.from(vault.open(secretKey, state), 'base64');
};

/** Reads the secret, or makes it. Rejects with `storeFull` or `unavailable`, or a VaultError. */
export const loadBackendSecret = async (
  committer: Committer,
  encryptionKeys?: (isStoreSealed: boolean) => readonly Uint8Array[],
  onFault: (error: Error) => void = () => {},
): Promise<LoadedSecret> => {
  const record = await committer.latest('system', secretKey);
  const wasSealed = record !== undefined && isSealed(record.state);
  const vault = encryptionKeys === undefined ? undefined : createVault(encryptionKeys(wasSealed));
  if (record === undefined) {
    const secret = randomBytes(secretBytes);
    const state = stateOf(secret, vault);
    try {
      await write(committer, state);
      return { secret, vault };
    } catch (error) {
      // Another backend of the cluster may have started at the same moment, and made it first.
      const made = await committer.latest('system', secretKey);
      if (made === undefined || isDeepStrictEqual(made.state, state)) throw error;
      committer.seed('system', secretKey, made.rev);
      return { secret: read(made.state, vault), vault };
    }
  }
  committer.seed('system', secretKey, record.rev);
  const secret = read(record.state, vault);
  const isCurrent = isSealed(record.state) && vault?.isCurrent(record.state) === true;
  if (vault !== undefined && !isCurrent)
    await write(committer, stateOf(secret, vault)).catch((error: Error) =>
      onFault(
        new Error('the signing secret stays in the store as it was: it could not be sealed', {
          cause: error,
        }),
      ),
    );
  return { secret, vault };
};
