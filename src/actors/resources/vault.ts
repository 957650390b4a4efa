// The vault: seals what must not be readable in the store, with keys that are not in the store (AES-256-GCM). The first key
// seals; all of them open, so that a new key can take the place of an old one while records sealed with both exist.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const cipherName = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
export const vaultKeyBytes = 32;

/** As it stands in a record: which key sealed it, and nonce, text and tag in one. */
export interface Sealed {
  readonly key: string;
  readonly sealed: string;
}

export interface Vault {
  /** What is sealed for one purpose can't be opened for another. */
  seal(purpose: string, text: string): Sealed;
  /** Throws VaultError when no key of ours sealed it, or it was changed. */
  open(purpose: string, sealed: Sealed): string;
  /** Whether the key that seals now sealed it. */
  isCurrent(sealed: Sealed): boolean;
}

export class VaultError extends Error {
  override name = 'VaultError';
}

export const isSealed = (state: unknown): state is Sealed =>
  typeof state === 'object' &&
  state !== null &&
  typeof (state as Partial<Sealed>).key === 'string' &&
  typeof (state as Partial<Sealed>).sealed === 'string';

/** By which people and records name a key without telling it. */
export const keyName = (key: Uint8Array): string =>
  createHash('sha256').update('mon vault key').update(key).digest('hex').slice(0, 16);

/** Needs at least one key of 32 bytes. */
export const createVault = (keys: readonly Uint8Array[]): Vault => {
  const byName = new Map(keys.map((key) => [keyName(key), key]));
  const [first] = keys;
  if (first === undefined || keys.some((key) => key.length !== vaultKeyBytes))
    throw new Error(`a vault needs keys of ${vaultKeyBytes} bytes`);
  const current = keyName(first);
  return {
    seal(purpose, text) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(cipherName, first, nonce, { authTagLength: tagBytes });
      cipher.setAAD(Buffer.from(purpose));
      const bytes = Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
      return { key: current, sealed: bytes.toString('base64') };
    },
    open(purpose, { key: name, sealed }) {
      const key = byName.get(name);
      if (key === undefined)
        throw new VaultError(
          `${purpose} was sealed with the encryption key ${name}, which is not among those given (${[...byName.keys()].join(', ')}): start with the --encryption-key-file that holds it`,
        );
      const bytes = Buffer.from(sealed, 'base64');
      try {
        const decipher = createDecipheriv(cipherName, key, bytes.subarray(0, nonceBytes), {
          authTagLength: tagBytes,
        });
        decipher.setAAD(Buffer.from(purpose));
        decipher.setAuthTag(bytes.subarray(-tagBytes));
        const text = [decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()];
        return Buffer.concat(text).toString('utf8');
      } catch {
        throw new VaultError(`${purpose} was changed since it was sealed`);
      }
    },
    isCurrent: ({ key }) => key === current,
  };
};
