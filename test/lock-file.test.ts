// The lock file: what `npm ci` installs is what was looked at, on every platform.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

interface LockEntry {
  readonly integrity?: string;
  readonly link?: boolean;
}

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  readonly packages: Readonly<Record<string, LockEntry>>;
};

/**
 * Optional builds for other platforms without a known checksum. Remove an entry when its checksum is found; do not
 * add any.
 */
const unverified: ReadonlySet<string> = new Set([
  '@biomejs/cli-android-arm64',
  '@biomejs/cli-android-x64',
  '@biomejs/cli-darwin-arm64',
  '@biomejs/cli-darwin-x64',
  '@biomejs/cli-linux-arm64-musl',
  '@biomejs/cli-linux-x64-musl',
  '@biomejs/cli-win32-arm64',
  '@biomejs/cli-win32-x64',
  '@msgpackr-extract/msgpackr-extract-darwin-arm64',
  '@msgpackr-extract/msgpackr-extract-darwin-x64',
  '@msgpackr-extract/msgpackr-extract-linux-arm',
  '@msgpackr-extract/msgpackr-extract-win32-x64',
  '@node-rs/bcrypt-android-arm-eabi',
  '@node-rs/bcrypt-android-arm64',
  '@node-rs/bcrypt-darwin-arm64',
  '@node-rs/bcrypt-darwin-x64',
  '@node-rs/bcrypt-freebsd-x64',
  '@node-rs/bcrypt-linux-arm-gnueabihf',
  '@node-rs/bcrypt-linux-arm64-gnu',
  '@node-rs/bcrypt-linux-arm64-musl',
  '@node-rs/bcrypt-linux-x64-musl',
  '@node-rs/bcrypt-win32-arm64-msvc',
  '@node-rs/bcrypt-win32-ia32-msvc',
  '@node-rs/bcrypt-win32-x64-msvc',
]);

test('every package in the lock file has a checksum, but for known builds for other platforms', () => {
  const without = Object.entries(lock.packages)
    .filter(([path, { link }]) => path !== '' && link !== true)
    .filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''))
    .map(([path]) => path.replace('node_modules/', ''))
    .filter((name) => !unverified.has(name));
  assert.deepEqual(without, []);
});
