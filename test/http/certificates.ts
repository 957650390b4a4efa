// Certificates for tests, made with the openssl program: an authority of their own, valid for a day.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

export interface Pair {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly certFile: string;
  readonly keyFile: string;
}

export interface Authority {
  readonly ca: Buffer;
  readonly caFile: string;
  /** A certificate with this common name, good for 127.0.0.1 and localhost. */
  issue(name: string): Pair;
}

/** Its files are removed after the test, or whenever another giver of `after` sees fit. */
export const makeAuthority = (t: { after(task: () => void): void }): Authority => {
  const dir = mkdtempSync(join(tmpdir(), 'mon-tls-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const openssl = (...parameters: string[]) =>
    execFileSync('openssl', parameters, { cwd: dir, stdio: 'pipe' });
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    ...['req', '-x509', ...curve, '-keyout', 'ca.key', '-out', 'ca.pem'],
    ...['-subj', '/CN=test ca', '-days', '1'],
  );
  let issued = 0;
  return {
    ca: readFileSync(join(dir, 'ca.pem')),
    caFile: join(dir, 'ca.pem'),
    issue(name) {
      issued += 1;
      const file = (kind: string): string => join(dir, `${issued}.${kind}`);
      writeFileSync(file('ext'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
      openssl('req', ...curve, '-keyout', file('key'), '-out', file('csr'), '-subj', `/CN=${name}`);
      openssl(
        ...['x509', '-req', '-in', file('csr'), '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
        ...['-out', file('pem'), '-days', '1', '-extfile', file('ext')],
      );
      return {
        cert: readFileSync(file('pem')),
        key: readFileSync(file('key')),
        certFile: file('pem'),
        keyFile: file('key'),
      };
    },
  };
};
