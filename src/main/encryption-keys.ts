// The encryption keys: a file outside the store with one key per line (32 bytes as base64). Provider passwords and
// tokens and the token signing secret are encrypted with the first key; all keys decrypt. Created at the first
// start.
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, lstatSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { keyName, vaultKeyBytes } from '../actors/resources/vault.ts';
import { makeFolder } from '../program/folders.ts';
import { errorText, type Logger } from '../program/log.ts';
import { SettingsError } from '../program/resolve.ts';

export const encryptionKeyName = 'encryption-key';

/** `--encryption-key-file`, or the file in the state directory. */
export const encryptionKeyPath = (settings: {
  readonly encryptionKeyFile: string;
  readonly stateDir: string;
}): string => settings.encryptionKeyFile || join(settings.stateDir, encryptionKeyName);

const header = `# Encrypts passwords, tokens and the signing secret in the store. They are lost without this file: keep a copy, but not with
# copies of the store. To change the key, add a new one (openssl rand -base64 32) on a line above the old one, restart every
# backend, then remove the old one.
`;

const encodedKey = /^[A-Za-z0-9+/]{43}=$/;

const keyOf = (line: string, where: string): Uint8Array => {
  const key = Buffer.from(line, 'base64');
  if (key.length !== vaultKeyBytes || !encodedKey.test(line))
    throw new SettingsError(
      `${where}: a key must be ${vaultKeyBytes} bytes as base64 (openssl rand -base64 32)`,
    );
  return key;
};

/** The names by which records refer to the keys of a file; empty if it does not exist. */
export const encryptionKeyNames = (path: string): readonly string[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split(/\r?\n/)
        .map((line) => line.trim())
        .filter((line) => encodedKey.test(line))
        .map((line) => keyName(Buffer.from(line, 'base64')))
    : [];

/** Throws SettingsError when the file can't be used. `onOpen` is told when other users can read it. */
export const readEncryptionKeys = (path: string, onOpen: () => void = () => {}): readonly Uint8Array[] => {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
    if (process.platform !== 'win32' && (lstatSync(path).mode & 0o077) !== 0) onOpen();
  } catch (error) {
    throw new SettingsError(`unable to read --encryption-key-file ${path}: ${errorText(error)}`);
  }
  const keys = text.split(/\r?\n/).flatMap((line, index) => {
    const key = line.trim();
    return key === '' || key.startsWith('#')
      ? []
      : [keyOf(key, `--encryption-key-file ${path}, line ${index + 1}`)];
  });
  if (keys.length === 0) throw new SettingsError(`--encryption-key-file ${path} contains no key`);
  return keys;
};

/** Durable before anything is encrypted with it. Never overwrites a file. */
const makeKey = (path: string, log: Logger): void => {
  try {
    makeFolder(dirname(path));
    const file = openSync(path, 'wx', 0o600);
    try {
      writeSync(file, `${header}${randomBytes(vaultKeyBytes).toString('base64')}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    const folder = openSync(dirname(path), 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  } catch (error) {
    throw new SettingsError(`unable to create --encryption-key-file ${path}: ${errorText(error)}`);
  }
  log.warn({ file: path }, 'created an encryption key; keep a copy of it apart from the store');
};

/** Throws SettingsError if the file is unusable, or missing while the store needs it. */
export const encryptionKeys =
  (path: string, log: Logger) =>
  (isStoreSealed: boolean): readonly Uint8Array[] => {
    if (!existsSync(path)) {
      if (isStoreSealed)
        throw new SettingsError(
          `the store contains secrets encrypted with a key of --encryption-key-file, but ${path} does not exist: restore it, or name the file with the key`,
        );
      makeKey(path, log);
    }
    return readEncryptionKeys(path, () =>
      log.warn(
        { file: path },
        'the encryption key file is accessible to other users of this machine: run chmod 600 on it',
      ),
    );
  };
