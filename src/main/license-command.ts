// `mon-backend license`: for owners of an installation who set limits by licence. It makes a pair of keys, signs terms with
// the private one, and says what a backend that has the public one would make of a licence. The backend itself never sees
// a private key: it is given the public one with --license-public-key-file.
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { decode } from '../model/decode.ts';
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
} from '../model/license.ts';
import { errorText } from '../program/log.ts';

type ExitWith = (command: () => Promise<number>) => Promise<void>;

/** What `read` makes of a file; an error names the file. */
const readingFile = <T>(path: string, read: (text: string) => T): T => {
  try {
    return read(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`${path}: ${errorText(error)}`);
  }
};

/** Never writes over a file: a lost private key cannot be had again. */
const makeKeys = (privateFile: string, publicFile: string): void => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  writeFileSync(privateFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), {
    flag: 'wx',
    mode: 0o600,
  });
  writeFileSync(publicFile, publicKey.export({ type: 'spki', format: 'pem' }), { flag: 'wx' });
};

/** The file to put at `/api/enterprise/licensing/v2/license`. */
const signedFile = (terms: LicenseTerms, privateFile: string): string => {
  const fault = termsFault(terms);
  if (fault !== null) throw new Error(fault);
  const spec = signLicense(terms, readingFile(privateFile, readSigningKey));
  return JSON.stringify({ type: licenseType, api_version: licenseApiVersion, metadata: {}, spec }, null, 2);
};

/** Null when it holds now. */
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
    .description('make keys for licenses of your own, sign licenses, check them')
    .addCommand(
      new Command('new-key')
        .description('make a pair of keys: keep the private one, start backends with the public one')
        .requiredOption('--private-key-file <path>', 'where the private key (PEM) goes; must not exist yet')
        .requiredOption('--public-key-file <path>', 'where the public key (PEM) goes; must not exist yet')
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
        .requiredOption('--private-key-file <path>', 'the private key (PEM) of new-key')
        .requiredOption('--holder <name>', 'whom it is for')
        .requiredOption('--entities <number>', 'how many entities may be watched')
        .requiredOption('--expires <time>', 'when it ends, e.g. 2027-01-01T00:00:00Z')
        .option('--issued <time>', 'when it was made', new Date().toISOString())
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
        .description('say whether a license holds; exits 1 when it does not')
        .argument('<file>', 'the license, as printed by sign')
        .requiredOption('--public-key-file <path>', 'the public key (PEM) of new-key')
        .action((file: string, { publicKeyFile }: { readonly publicKeyFile: string }) =>
          exitWith(async () => {
            const fault = faultOfFile(file, publicKeyFile);
            console.log(fault ?? 'the license holds');
            return fault === null ? 0 : 1;
          }),
        ),
    );
