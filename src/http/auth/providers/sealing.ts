// Encrypts data that leaves the backend (in a browser, in the store) and verifies it when it returns. The key is
// derived from the token signing secret, one per purpose, so every backend of a cluster can decrypt it.
import { hkdfSync } from 'node:crypto';
import { EncryptJWT, errors, type JWTPayload, jwtDecrypt } from 'jose';

export interface Seal {
  close(claims: JWTPayload, lifetimeSeconds: number | null): Promise<string>;
  /** Null if the data was not encrypted here, was modified, or has expired. */
  open(sealed: string): Promise<JWTPayload | null>;
}

export const createSeal = (secret: Uint8Array, purpose: string, wallMs: () => number): Seal => {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32));
  const nowSeconds = (): number => Math.floor(wallMs() / 1_000);
  return {
    close(claims, lifetimeSeconds) {
      const sealing = new EncryptJWT(claims).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' });
      if (lifetimeSeconds !== null) sealing.setExpirationTime(nowSeconds() + lifetimeSeconds);
      return sealing.encrypt(key);
    },
    async open(sealed) {
      try {
        const { payload } = await jwtDecrypt(sealed, key, {
          currentDate: new Date(wallMs()),
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
        });
        return payload;
      } catch (error) {
        if (error instanceof errors.JOSEError) return null;
        throw error;
      }
    },
  };
};
