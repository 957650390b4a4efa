// TLS: what every listener accepts. Version 1.2 at least, with forward secrecy; client certificates are demanded, or looked at
// where they are shown, when authorities are given.
import type { Server } from 'node:http';
import { type SecureContextOptions, Server as TlsServer } from 'node:tls';

export interface TlsOptions extends SecureContextOptions {
  readonly minVersion: 'TLSv1.2';
  readonly ciphers: string;
  readonly requestCert?: boolean;
  readonly rejectUnauthorized?: boolean;
}

/**
 * Forward secrecy and authenticated encryption only: no RSA key exchange, no CBC. The suites of TLS 1.3 are named too,
 * since Node drops that version when a list names none of them.
 */
const acceptedCiphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE+AESGCM',
  'ECDHE+CHACHA20',
].join(':');

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
  ciphers: acceptedCiphers,
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
