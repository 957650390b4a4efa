// Licences: a signed file that says how many entities may be watched, until when, and for whom (interface section
// 8). The signature is Ed25519 over five plain lines, so that any tool can make one:
//
// mon-license-v1 \n <entities> \n <issued> \n <expires> \n <holder>
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
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
export type LicenseTerms = Omit<License, 'signature'>;

/** What is signed. */
export const licenseText = ({ entities, issued, expires, holder }: LicenseTerms): string =>
  ['mon-license-v1', entities, issued, expires, holder].join('\n');

/** The license with these terms. `key`: an Ed25519 private key. */
export const signLicense = (terms: LicenseTerms, key: KeyObject): License => ({
  ...terms,
  signature: sign(null, Buffer.from(licenseText(terms)), key).toString('base64'),
});

const ed25519 = (key: KeyObject): KeyObject => {
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw new Error(`it must be an Ed25519 ${key.type} key (it is ${key.asymmetricKeyType})`);
};

/** Reads the key licenses are checked with, in PEM. Throws an Error that says what is wrong with it. */
export const readLicenseKey = (pem: string): KeyObject => ed25519(createPublicKey(pem));

/** Reads the key licenses are signed with, in PEM. Throws an Error that says what is wrong with it. */
export const readSigningKey = (pem: string): KeyObject => ed25519(createPrivateKey(pem));

const dateFault = (field: string, value: string): string | null =>
  /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value))
    ? null
    : `license.${field} must be a time like 2027-01-01T00:00:00Z (got "${value}")`;

/** What is wrong with the terms themselves, or null. */
export const termsFault = ({ entities, issued, expires, holder }: LicenseTerms): string | null => {
  if (entities < 1) return `license.entities must be at least 1 (got ${entities})`;
  const dates = dateFault('issued', issued) ?? dateFault('expires', expires);
  if (dates !== null) return dates;
  return /[\r\n]/.test(holder) ? 'license.holder must be one line' : null;
};

const noKey =
  'this backend cannot check licenses: start it with --license-public-key-file, or with --entity-limit 0 where no limit is wanted';

/**
 * What is wrong with a licence, or null. Whether it is over is asked last: a forged one is told so first.
 * Without a key no licence holds.
 */
export const licenseFault = (license: License, key: KeyObject | undefined, nowMs: number): string | null => {
  if (key === undefined) return noKey;
  const terms = termsFault(license);
  if (terms !== null) return terms;
  const bytes = Buffer.from(license.signature, 'base64');
  if (bytes.byteLength !== 64)
    return 'license.signature must be the base64 of an Ed25519 signature (64 bytes)';
  if (!verify(null, Buffer.from(licenseText(license)), key, bytes))
    return 'license.signature does not fit: the license was changed, or signed with another key than the one of --license-public-key-file';
  return licenseIsOver(license, nowMs) ? `the license ended at ${license.expires}; ask for a new one` : null;
};

export const licenseIsOver = ({ expires }: License, nowMs: number): boolean => Date.parse(expires) <= nowMs;
