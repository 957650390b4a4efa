// API keys at rest: the key itself is its name, so a record holds the hash it is found by and the name sealed under
// the backend's secret. Without that secret, a copy of the store does not reveal them.
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { Resource, ResourceCodec } from './resource-table.ts';

const cipherName = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** What a key is stored and found under. */
const hashApiKey = (key: string): string => createHash('sha256').update(key).digest('hex');

/** Seals API keys with a key derived from the token secret (see `loadTokenSecret`). */
export const createApiKeyCodec = (secret: Uint8Array): ResourceCodec => {
  const sealingKey = Buffer.from(hkdfSync('sha256', secret, '', 'mon api keys', 32));
  return {
    storedName: hashApiKey,
    encode(resource, name) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(cipherName, sealingKey, nonce);
      const sealed = Buffer.concat([
        nonce,
        cipher.update(JSON.stringify({ name, resource })),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
      return { sealed: sealed.toString('base64') };
    },
    decode(state) {
      const sealed = Buffer.from((state as { sealed: string }).sealed, 'base64');
      const decipher = createDecipheriv(cipherName, sealingKey, sealed.subarray(0, nonceBytes));
      decipher.setAuthTag(sealed.subarray(-tagBytes));
      const text = Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]);
      return JSON.parse(text.toString()) as { name: string; resource: Resource };
    },
  };
};
