// Sends one request to a secrets store over HTTPS, with retries: a refusal is final, an
// outage is retried, and the timeout limits the whole operation.
import { readdirSync, readFileSync } from 'node:fs';
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { Agent, request as requestTls } from 'node:https';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isSafeStoreAddress, type StoreClient } from '../model/access/secrets-provider.ts';
import { type TrustedAuthorities, trusting } from '../model/access/trusted-authorities.ts';
import { parseGuarded } from '../model/schema/guarded-json.ts';
import { parseDuration } from '../model/time/durations.ts';
import {
  defaultTimeoutMs,
  maxAnswerBytes,
  maxRetries,
  maxRetryDelayMs,
  maxTimeoutMs,
  retryDelayMs,
} from './limits.ts';
import { createRateLimiter } from './rate-limiter.ts';

/** The response of a store. `outage`: the store or the network is unavailable. Messages contain no secrets. */
export type StoreAnswer =
  | { readonly type: 'found'; readonly body: unknown }
  | { readonly type: 'missing' }
  | { readonly type: 'refused'; readonly why: string }
  | { readonly type: 'outage'; readonly why: string };

export interface StoreConnection {
  /** Never rejects. */
  get(path: string): Promise<StoreAnswer>;
  /** Requests waiting for the rate limit. */
  readonly waiting: number;
  close(): void;
}

const outage = (why: string): StoreAnswer => ({ type: 'outage', why });

/** Certificates of authorities: one file, or all files of a directory. */
const authoritiesOf = (
  { ca_cert: file, ca_path: folder }: NonNullable<StoreClient['tls']>,
  authorities: TrustedAuthorities,
) => {
  const folderFiles = folder === '' ? [] : readdirSync(folder).map((name) => join(folder, name));
  const files = file === '' ? folderFiles : [file, ...folderFiles];
  return files.length === 0 ? trusting(authorities) : { ca: files.map((path) => readFileSync(path)) };
};

const tlsOptionsOf = ({ tls }: StoreClient, authorities: TrustedAuthorities): object => {
  if (tls === null) return { minVersion: 'TLSv1.2', ...trusting(authorities) };
  const { client_cert: cert, client_key: key, cname, tls_server_name: name, insecure } = tls;
  const servername = name || cname;
  return {
    minVersion: 'TLSv1.2',
    rejectUnauthorized: !insecure,
    ...authoritiesOf(tls, authorities),
    ...(cert === '' ? {} : { cert: readFileSync(cert) }),
    ...(key === '' ? {} : { key: readFileSync(key) }),
    ...(servername === '' ? {} : { servername }),
  };
};

/** The base URL; a local agent of the store takes precedence. Throws for URLs without TLS. */
const baseOf = ({ address, agent_address: agent }: StoreClient): URL => {
  const url = new URL(agent || address);
  if (isSafeStoreAddress(url.href)) return url;
  throw new Error(
    'its address must begin with https:// (only a store on this machine may be used without TLS)',
  );
};

const readBody = async (response: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > maxAnswerBytes) throw new Error(`its response is larger than ${maxAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  const parsed = parseGuarded(Buffer.concat(chunks), { maxBytes: maxAnswerBytes });
  if (!parsed.ok) throw new Error(`its response is not valid JSON: ${parsed.message}`);
  return parsed.value;
};

const timeoutOf = ({ timeout }: StoreClient): number => {
  const ms = parseDuration(timeout) ?? 0;
  return Math.min(ms > 0 ? ms : defaultTimeoutMs, maxTimeoutMs);
};

/** Reads the certificates immediately, so that missing files fail here with their names. */
export const connectStore = (
  client: StoreClient,
  monotonicMs: () => number,
  authorities: TrustedAuthorities,
): StoreConnection => {
  const base = baseOf(client);
  const isTls = base.protocol === 'https:';
  const agent = isTls
    ? new Agent({ keepAlive: true, maxSockets: 16, ...tlsOptionsOf(client, authorities) })
    : undefined;
  const limiter = createRateLimiter(client.rate_limiter ?? { limit: 0, burst: 0 }, monotonicMs);
  const tries = 1 + Math.min(client.max_retries, maxRetries);
  const prefix = base.pathname.replace(/\/$/, '');

  const send = (path: string, signal: AbortSignal): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const options = {
        method: 'GET',
        signal,
        headers: { 'X-Vault-Token': client.token, 'X-Vault-Request': 'true', Accept: 'application/json' },
        ...(agent === undefined ? {} : { agent }),
      };
      const ask = isTls ? requestTls : requestPlain;
      ask(new URL(prefix + path, base), options, resolve)
        .on('error', reject)
        .end();
    });

  const attempt = async (path: string, signal: AbortSignal): Promise<StoreAnswer> => {
    await limiter.enter(signal);
    const response = await send(path, signal);
    const status = response.statusCode ?? 0;
    if (status === 200) return { type: 'found', body: await readBody(response) };
    response.resume();
    if (status === 404) return { type: 'missing' };
    const isPassing = status === 412 || status === 429 || status >= 500;
    return { type: isPassing ? 'outage' : 'refused', why: `it responded with status ${status}` };
  };

  /** Like `attempt`, but every exception becomes an outage. */
  const ask = (path: string, signal: AbortSignal): Promise<StoreAnswer> =>
    attempt(path, signal).catch((error: Error) => outage(error.message));

  return {
    get waiting() {
      return limiter.waiting;
    },
    async get(path) {
      const timeoutMs = timeoutOf(client);
      const signal = AbortSignal.timeout(timeoutMs);
      let answer = await ask(path, signal);
      for (let at = 1; at < tries && answer.type === 'outage' && !signal.aborted; at += 1) {
        const delayMs = Math.min(retryDelayMs * 2 ** (at - 1), maxRetryDelayMs);
        await pause(delayMs, undefined, { signal }).catch(() => {});
        if (!signal.aborted) answer = await ask(path, signal);
      }
      if (answer.type !== 'outage' || !signal.aborted) return answer;
      return outage(`no response within ${timeoutMs} ms (${answer.why})`);
    },
    close: () => agent?.destroy(),
  };
};
