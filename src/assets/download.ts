// Downloads one file over HTTP or HTTPS and computes its checksum.
import { createHash } from 'node:crypto';
import { type ClientRequest, get as getHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { get as getHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import { proxyFor, type Variables } from '../program/proxy-rule.ts';
import { openTunnel, proxyCredentials } from '../program/tunnel.ts';
import { downloadIdleMs, downloadMs, maxAssetBytes, maxRedirects } from './limits.ts';

export interface Download {
  readonly bytes: Buffer;
  readonly sha512: string;
}

export interface DownloadOptions {
  /** A value may contain several items separated by commas; they are sent as repeated headers. */
  readonly headers?: Readonly<Record<string, string>> | null;
  /** Additional certificate authorities (PEM). */
  readonly ca?: readonly (string | Buffer)[];
  /** The environment with the proxy settings; default: that of the process. */
  readonly variables?: Variables;
}

const headersOf = (headers: DownloadOptions['headers']): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => [name, value.split(',').map((part) => part.trim())]),
  );

const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'https:' ? 443 : 80);

/** Builds the request: direct, as an absolute URL to a proxy (http), or through a proxy tunnel (https). */
const askFor = (url: URL, options: DownloadOptions): ClientRequest => {
  const headers = headersOf(options.headers);
  const proxy = proxyFor(url, options.variables ?? process.env);
  const tls = options.ca === undefined ? {} : { ca: [...options.ca] };
  if (proxy === null)
    return url.protocol === 'https:' ? getHttps(url, { headers, ...tls }) : getHttp(url, { headers });
  if (url.protocol === 'http:' && proxy.protocol === 'http:')
    return getHttp(proxy, {
      path: url.href,
      headers: { ...headers, Host: url.host, ...proxyCredentials(proxy) },
    });
  const destination = {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: portOf(url),
    ...(url.protocol === 'https:' ? { tls } : {}),
  };
  const createConnection: RequestOptions['createConnection'] = (_, done) => {
    const failed = (error: Error) => done(error, undefined as unknown as Duplex);
    void openTunnel(proxy, destination, downloadIdleMs).then((socket) => done(null, socket), failed);
    return undefined;
  };
  return getHttp({
    host: url.hostname,
    port: portOf(url),
    path: url.pathname + url.search,
    headers: { ...headers, Host: url.host },
    createConnection,
  });
};

const request = (url: URL, options: DownloadOptions): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const sent = askFor(url, options);
    sent.once('response', resolve);
    sent.setTimeout(downloadIdleMs, () =>
      sent.destroy(new Error(`no response for ${downloadIdleMs / 1000} s`)),
    );
    sent.once('error', reject);
  });

const follow = async (
  url: URL,
  options: DownloadOptions,
  redirectsLeft: number,
): Promise<IncomingMessage> => {
  const response = await request(url, options);
  const { statusCode = 0, headers } = response;
  if (statusCode === 200) return response;
  response.destroy();
  if (statusCode < 300 || statusCode >= 400 || headers.location === undefined)
    throw new Error(`Response Code ${statusCode}`);
  if (redirectsLeft === 0) throw new Error(`more than ${maxRedirects} redirects`);
  const next = new URL(headers.location, url);
  // Headers for one host must not be sent to another.
  return follow(next, next.host === url.host ? options : { ...options, headers: null }, redirectsLeft - 1);
};

/** Rejects with a readable reason. */
export const download = async (address: string, options: DownloadOptions): Promise<Download> => {
  const url = new URL(address);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error(`unsupported protocol ${url.protocol}`);
  const response = await follow(url, options, maxRedirects);
  const late = setTimeout(
    () => response.destroy(new Error(`not done after ${downloadMs / 1000} s`)),
    downloadMs,
  );
  try {
    return await take(response);
  } finally {
    clearTimeout(late);
  }
};

const take = async (response: IncomingMessage): Promise<Download> => {
  const hash = createHash('sha512');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxAssetBytes) throw new Error(`larger than ${maxAssetBytes} bytes`);
    hash.update(chunk);
    chunks.push(chunk);
  }
  return { bytes: Buffer.concat(chunks), sha512: hash.digest('hex') };
};
