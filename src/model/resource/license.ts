// Licenses: a signed file with the entity limit, the expiry time and the holder. The Ed25519
// signature covers five plain lines, so that any tool can create one:
//
// mon-license-v1 \n <entities> \n <issued> \n <expires> \n <holder>
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { z } from 'zod';
import { text, unsigned } from '../schema/quick-types.ts';

export const licenseType = 'LicenseFile';
export const licenseApiVersion = 'licensing/v2';

export const licenseSchema = z.object({
  /** Maximum number of entities. */
  entities: unsigned(),
  /** RFC 3339. */
  issued: text(),
  /** RFC 3339; the license is invalid from this time on. */
  expires: text(),
  holder: text(),
  /** Base64 of 64 bytes. */
  signature: text(),
});
export type License = z.infer<typeof licenseSchema>;
export type LicenseTerms = Omit<License, 'signature'>;

/** The signed text. */
const licenseText = ({ entities, issued, expires, holder }: LicenseTerms): string =>
  ['mon-license-v1', entities, issued, expires, holder].join('\n');

/** Signs a license with these terms. `key` is an Ed25519 private key. */
export const signLicense = (terms: LicenseTerms, key: KeyObject): License => ({
  ...terms,
  signature: sign(null, Buffer.from(licenseText(terms)), key).toString('base64'),
});

const ed25519 = (key: KeyObject): KeyObject => {
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw new Error(`it must be an Ed25519 ${key.type} key (it is ${key.asymmetricKeyType})`);
};

/** Reads the PEM public key that verifies licenses. Throws an Error with the reason if it is invalid. */
export const readLicenseKey = (pem: string): KeyObject => ed25519(createPublicKey(pem));

/** Reads the PEM private key that signs licenses. Throws an Error with the reason if it is invalid. */
export const readSigningKey = (pem: string): KeyObject => ed25519(createPrivateKey(pem));

const dateFault = (field: string, value: string): string | null =>
  /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value))
    ? null
    : `license.${field} must be a time like 2027-01-01T00:00:00Z (got "${value}")`;

/** Why the terms are invalid, or null. */
export const termsFault = ({ entities, issued, expires, holder }: LicenseTerms): string | null => {
  if (entities < 1) return `license.entities must be at least 1 (got ${entities})`;
  const dates = dateFault('issued', issued) ?? dateFault('expires', expires);
  if (dates !== null) return dates;
  return /[\r\n]/.test(holder) ? 'license.holder must be a single line' : null;
};

const noKey =
  'this backend cannot check licenses: start it with --license-public-key-file, or with --entity-limit 0 for no limit';

/**
 * Why a license is invalid, or null. Expiry is checked last, so that a forged license is reported as forged.
 * Without a key, no license is valid.
 */
export const licenseFault = (license: License, key: KeyObject | undefined, nowMs: number): string | null => {
  if (key === undefined) return noKey;
  const terms = termsFault(license);
  if (terms !== null) return terms;
  const bytes = Buffer.from(license.signature, 'base64');
  if (bytes.byteLength !== 64)
    return 'license.signature must be the base64 of an Ed25519 signature (64 bytes)';
  if (!verify(null, Buffer.from(licenseText(license)), key, bytes))
    return 'license.signature does not match: the license was changed, or signed with a key other than the one in --license-public-key-file';
  return licenseIsOver(license, nowMs)
    ? `the license expired at ${license.expires}; request a new one`
    : null;
};

export const licenseIsOver = ({ expires }: License, nowMs: number): boolean => Date.parse(expires) <= nowMs;
