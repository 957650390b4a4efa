// Certificates for tests, made by the openssl program: an authority and what it signs, all valid for a day.
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from './helpers.ts';

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
if (!hasOpenssl)
  console.error('certificates: tests that need them are SKIPPED, there is no openssl program here');

export interface Pair {
  readonly cert: string;
  readonly key: string;
}

export interface Authority {
  /** Path of its certificate. */
  readonly ca: string;
  /** Paths of a pair for this common name, good for 127.0.0.1, localhost and backend.test. */
  issue(name: string): Pair;
}

const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

export const makeAuthority = (): Authority => {
  const folder = tempFolder();
  const at = (file: string) => join(folder, file);
  const openssl = (...parameters: string[]) =>
    execFileSync('openssl', parameters, { cwd: folder, stdio: 'pipe' });
  openssl(
    ...['req', '-x509', ...curve, '-keyout', 'ca.key', '-out', 'ca.pem'],
    ...['-subj', '/CN=test ca', '-days', '1'],
  );
  writeFileSync(at('names'), 'subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:backend.test\n');
  return {
    ca: at('ca.pem'),
    issue: (name) => {
      openssl('req', ...curve, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
      openssl(
        ...['x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
        ...['-out', `${name}.pem`, '-days', '1', '-extfile', 'names'],
      );
      return { cert: at(`${name}.pem`), key: at(`${name}.key`) };
    },
  };
};
