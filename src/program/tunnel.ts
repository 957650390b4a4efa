// Opens a connection to a host through an HTTP proxy with CONNECT (RFC 9110, section 9.3.6).
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

export interface Destination {
  /** IPv6 addresses without brackets. */
  readonly host: string;
  readonly port: number;
  /** If present, TLS is used inside the tunnel. */
  readonly tls?: ConnectionOptions;
}

/** The authorization header for a proxy whose URL contains credentials. */
export const proxyCredentials = (proxy: URL): Record<string, string> => {
  if (proxy.username === '' && proxy.password === '') return {};
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'Proxy-Authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
};

/** Rejects if the proxy is unreachable, refuses, or does not answer in time. */
export const openTunnel = (
  proxy: URL,
  { host, port, tls }: Destination,
  timeoutMs: number,
): Promise<Duplex> =>
  new Promise((resolve, reject) => {
    const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
    const ask = proxy.protocol === 'https:' ? requestHttps : requestHttp;
    const asked = ask({
      method: 'CONNECT',
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
      path: authority,
      headers: { Host: authority, ...proxyCredentials(proxy) },
      agent: false,
      timeout: timeoutMs,
    });
    const refuse = (why: string) => reject(new Error(`proxy ${proxy.host}: ${why}`));
    asked.once('timeout', () => asked.destroy(new Error(`no response within ${timeoutMs / 1000} s`)));
    asked.once('error', (error) => refuse(error.message));
    const opened = (response: IncomingMessage, socket: Socket, early: Buffer) => {
      if (response.statusCode !== 200) {
        socket.destroy();
        return refuse(`it responded with status ${response.statusCode} to CONNECT ${authority}`);
      }
      socket.setTimeout(0);
      // Data that arrived with the response belongs to the tunnel.
      if (early.length > 0) socket.unshift(early);
      resolve(
        tls === undefined ? socket : connectTls({ ...tls, socket, servername: isIP(host) === 0 ? host : '' }),
      );
    };
    asked.once('connect', opened);
    asked.end();
  });
