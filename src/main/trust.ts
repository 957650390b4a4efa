// Whom the backend trusts when it connects to others over TLS: the authorities of `--trusted-ca-file` besides those the
// runtime knows. Read again on SIGHUP.
import { createSecureContext, rootCertificates } from 'node:tls';
import type { TrustedAuthorities } from '../model/trusted-authorities.ts';
import { readAuthorities } from '../program/authorities.ts';

export interface Trust {
  readonly authorities: TrustedAuthorities;
  /** Reads the file again. Throws, and keeps what it had, when that cannot be used. */
  renew(): void;
}

const read = (file: string): string[] => {
  const ca = [...rootCertificates, readAuthorities(file)];
  // Throws for what looks like a certificate and is none.
  createSecureContext({ ca });
  return ca;
};

/** `file` empty: nobody but those the runtime knows. Throws when the file cannot be used. */
export const createTrust = (file: string): Trust => {
  if (file === '') return { authorities: () => undefined, renew: () => {} };
  let known = read(file);
  return {
    authorities: () => known,
    renew() {
      known = read(file);
    },
  };
};
