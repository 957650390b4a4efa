// TLS: what both listeners accept. Version 1.2 at least; client certificates are demanded, or looked at where they are shown,
// when authorities are given.
import type { Server } from 'node:http';
import { type SecureContextOptions, Server as TlsServer } from 'node:tls';

export interface TlsOptions extends SecureContextOptions {
  readonly minVersion: 'TLSv1.2';
  readonly requestCert?: boolean;
  readonly rejectUnauthorized?: boolean;
}

/**
 * PEM texts. `clientCa`: authorities whose client certificates are accepted. `clientsWithout`: whether those who show none, or
 * one of somebody else, are let through to be asked for a password; otherwise they do not get past the handshake.
 */
export const tlsOptions = (files: {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  readonly clientCa?: string | Buffer;
  readonly clientsWithout?: 'refused' | 'allowed';
}): TlsOptions => ({
  cert: files.cert,
  key: files.key,
  minVersion: 'TLSv1.2',
  ...(files.clientCa === undefined
    ? {}
    : { ca: files.clientCa, requestCert: true, rejectUnauthorized: files.clientsWithout !== 'allowed' }),
});

/**
 * New connections get the new certificate; those that stand keep what they have. Throws for a pair that does not fit and
 * then changes nothing. A server without TLS stays without.
 */
export const renewCertificate = (server: Server, tls: TlsOptions | undefined): void => {
  if (tls !== undefined && server instanceof TlsServer) server.setSecureContext(tls);
};
