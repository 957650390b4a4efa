// Trusted authorities for outgoing TLS connections: those of `--trusted-ca-file` and those of the runtime. Reloaded
// on SIGHUP.
import { createSecureContext, rootCertificates } from 'node:tls';
import type { TrustedAuthorities } from '../model/access/trusted-authorities.ts';
import { readAuthorities } from '../program/authorities.ts';

export interface Trust {
  readonly authorities: TrustedAuthorities;
  /** Reloads the file. Throws and keeps the old authorities if it is unusable. */
  renew(): void;
}

const read = (file: string): string[] => {
  const ca = [...rootCertificates, readAuthorities(file)];
  // Throws on invalid certificates.
  createSecureContext({ ca });
  return ca;
};

/** Empty `file`: only the authorities of the runtime. Throws if the file is unusable. */
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
