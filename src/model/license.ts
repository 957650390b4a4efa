// Licences: a signed file that says how many entities may be watched, until when, and for whom (interface section 8;
// API sheet, section 13). The signature is Ed25519 over five plain lines, so that any tool can make one:
//
//   mon-license-v1 \n <entities> \n <issued> \n <expires> \n <holder>
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { z } from 'zod';
import { text, unsigned } from './quick-types.ts';

export const licenseType = 'LicenseFile';
export const licenseApiVersion = 'licensing/v2';

export const licenseSchema = z.object({
  /** How many entities may be watched. */
  entities: unsigned(),
  /** RFC 3339. */
  issued: text(),
  /** RFC 3339; not valid from this moment on. */
  expires: text(),
  holder: text(),
  /** Base64 of 64 bytes. */
  signature: text(),
});
export type License = z.infer<typeof licenseSchema>;

/** Signs the licences of those who publish this program; `--license-public-key-file` puts another in its place. */
export const builtInLicenseKey = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAuGbvgfqn95XLqg8zNLfMA8iovLtvm1qquTygYhH+2i8=
-----END PUBLIC KEY-----
`;

/** What is signed. */
export const licenseText = ({ entities, issued, expires, holder }: Omit<License, 'signature'>): string =>
  ['mon-license-v1', entities, issued, expires, holder].join('\n');

/** Reads a public key in PEM. Throws an Error that says what is wrong with it. */
export const readLicenseKey = (pem: string): KeyObject => {
  const key = createPublicKey(pem);
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error(`it must be an Ed25519 public key (it is ${key.asymmetricKeyType})`);
  return key;
};

const dateFault = (field: string, value: string): string | null =>
  /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value))
    ? null
    : `license.${field} must be a time like 2027-01-01T00:00:00Z (got "${value}")`;

/** What is wrong with a licence, or null. Whether it is over is asked last: a forged one is told so first. */
export const licenseFault = (license: License, key: KeyObject, nowMs: number): string | null => {
  const { entities, issued, expires, holder, signature } = license;
  if (entities < 1) return `license.entities must be at least 1 (got ${entities})`;
  const dates = dateFault('issued', issued) ?? dateFault('expires', expires);
  if (dates !== null) return dates;
  if (/[\r\n]/.test(holder)) return 'license.holder must be one line';
  const bytes = Buffer.from(signature, 'base64');
  if (bytes.byteLength !== 64)
    return 'license.signature must be the base64 of an Ed25519 signature (64 bytes)';
  if (!verify(null, Buffer.from(licenseText(license)), key, bytes))
    return 'license.signature does not fit: the license was changed, or signed with another key than the one of --license-public-key-file';
  return licenseIsOver(license, nowMs) ? `the license ended at ${expires}; ask for a new one` : null;
};

export const licenseIsOver = ({ expires }: License, nowMs: number): boolean => Date.parse(expires) <= nowMs;
