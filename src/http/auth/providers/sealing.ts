// Sealing: text that leaves us (in a browser's hands, in the store) and comes back unread and unchanged. The key is made
// from the secret tokens are signed with, one for each purpose, so every backend of a cluster can open what another sealed.
import { hkdfSync } from 'node:crypto';
import { EncryptJWT, errors, type JWTPayload, jwtDecrypt } from 'jose';

export interface Seal {
  close(claims: JWTPayload, lifetimeSeconds: number | null): Promise<string>;
  /** Null for what was not sealed here, was changed, or is over. */
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
