// `mon-backend license`: for operators who enforce limits by license. Creates key pairs, signs licenses, and
// verifies licenses with a public key. Backends only use the public key, set by --license-public-key-file.
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import {
  type LicenseTerms,
  licenseApiVersion,
  licenseFault,
  licenseSchema,
  licenseType,
  readLicenseKey,
  readSigningKey,
  signLicense,
  termsFault,
} from '../model/resource/license.ts';
import { decode } from '../model/schema/decode.ts';
import { errorText } from '../program/log.ts';

type ExitWith = (command: () => Promise<number>) => Promise<void>;

/** Reads and parses a file; errors name the file. */
const readingFile = <T>(path: string, read: (text: string) => T): T => {
  try {
    return read(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`${path}: ${errorText(error)}`);
  }
};

/** Never overwrites a file: a lost private key cannot be recovered. */
const makeKeys = (privateFile: string, publicFile: string): void => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  writeFileSync(privateFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), {
    flag: 'wx',
    mode: 0o600,
  });
  writeFileSync(publicFile, publicKey.export({ type: 'spki', format: 'pem' }), { flag: 'wx' });
};

/** The body for `PUT /api/enterprise/licensing/v2/license`. */
const signedFile = (terms: LicenseTerms, privateFile: string): string => {
  const fault = termsFault(terms);
  if (fault !== null) throw new Error(fault);
  const spec = signLicense(terms, readingFile(privateFile, readSigningKey));
  return JSON.stringify({ type: licenseType, api_version: licenseApiVersion, metadata: {}, spec }, null, 2);
};

/** Null if it is currently valid. */
const faultOfFile = (file: string, publicFile: string): string | null => {
  const key = readingFile(publicFile, readLicenseKey);
  const parsed = readingFile(file, (text) => JSON.parse(text) as { readonly spec?: unknown } | null);
  const decoded = decode(licenseSchema, parsed?.spec ?? parsed, 'license');
  return decoded.ok ? licenseFault(decoded.value, key, Date.now()) : decoded.message;
};

interface SignOptions {
  readonly privateKeyFile: string;
  readonly holder: string;
  readonly entities: string;
  readonly expires: string;
  readonly issued: string;
}

export const licenseCommand = (exitWith: ExitWith): Command =>
  new Command('license')
    .description('create license keys, sign and verify licenses')
    .addCommand(
      new Command('new-key')
        .description('create a key pair: keep the private key, start backends with the public key')
        .requiredOption('--private-key-file <path>', 'file for the private key (PEM); must not exist yet')
        .requiredOption('--public-key-file <path>', 'file for the public key (PEM); must not exist yet')
        .action(({ privateKeyFile, publicKeyFile }) =>
          exitWith(async () => {
            makeKeys(privateKeyFile, publicKeyFile);
            return 0;
          }),
        ),
    )
    .addCommand(
      new Command('sign')
        .description('print a signed license')
        .requiredOption('--private-key-file <path>', 'the private key (PEM) from new-key')
        .requiredOption('--holder <name>', 'name of the holder')
        .requiredOption('--entities <number>', 'maximum number of entities')
        .requiredOption('--expires <time>', 'expiry time, e.g. 2027-01-01T00:00:00Z')
        .option('--issued <time>', 'time of issue', new Date().toISOString())
        .action(({ privateKeyFile, holder, entities, expires, issued }: SignOptions) =>
          exitWith(async () => {
            if (!/^\d+$/.test(entities))
              throw new Error(`--entities must be a whole number (got ${entities})`);
            console.log(signedFile({ holder, entities: Number(entities), expires, issued }, privateKeyFile));
            return 0;
          }),
        ),
    )
    .addCommand(
      new Command('check')
        .description('verify a license; exits with status 1 if it is invalid')
        .argument('<file>', 'the license, as printed by sign')
        .requiredOption('--public-key-file <path>', 'the public key (PEM) from new-key')
        .action((file: string, { publicKeyFile }: { readonly publicKeyFile: string }) =>
          exitWith(async () => {
            const fault = faultOfFile(file, publicKeyFile);
            console.log(fault ?? 'the license is valid');
            return fault === null ? 0 : 1;
          }),
        ),
    );
