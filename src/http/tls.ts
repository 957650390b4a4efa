// TLS settings of all listeners: version 1.2 or later with forward secrecy. If authorities are given, client
// certificates are required or verified if presented.
import type { Server } from 'node:http';
import { type SecureContextOptions, Server as TlsServer } from 'node:tls';
import { tlsHandshakeTimeoutMs } from './limits.ts';

export interface TlsOptions extends SecureContextOptions {
  readonly minVersion: 'TLSv1.2';
  readonly ciphers: string;
  readonly requestCert?: boolean;
  readonly rejectUnauthorized?: boolean;
  readonly handshakeTimeout: number;
}

/**
 * Forward secrecy and authenticated encryption only: no RSA key exchange, no CBC. TLS 1.3 suites must be listed
 * too, since Node otherwise disables that version.
 */
const acceptedCiphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE+AESGCM',
  'ECDHE+CHACHA20',
].join(':');

/**
 * PEM texts. `clientCa`: authorities for client certificates. `clientsWithout`: whether clients without a valid
 * certificate pass the TLS handshake and authenticate with a password instead.
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
  handshakeTimeout: tlsHandshakeTimeoutMs,
  ...(files.clientCa === undefined
    ? {}
    : { ca: files.clientCa, requestCert: true, rejectUnauthorized: files.clientsWithout !== 'allowed' }),
});

/**
 * Uses a new certificate for new connections; existing ones are kept. Throws without changes if key and certificate
 * do not match. A server without TLS stays without.
 */
export const renewCertificate = (server: Server, tls: TlsOptions | undefined): void => {
  if (tls !== undefined && server instanceof TlsServer) server.setSecureContext(tls);
};
