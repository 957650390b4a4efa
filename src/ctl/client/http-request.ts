// One HTTP request: proxies, TLS settings, a time limit, redirects, and errors that say what to do. Knows nothing of tokens.
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { addAbortSignal, type Duplex } from 'node:stream';
import { proxyFor, type Variables } from '../../program/proxy-rule.ts';
import { CtlError } from '../failure.ts';
import { maxAnswerBytes, maxRedirects } from '../limits.ts';
import { connectionProblem } from './connection-problem.ts';

export interface Transport {
  readonly timeoutMs: number;
  /** PEM file; empty for the authorities of the system. */
  readonly trustedCaFile: string;
  readonly insecureSkipTlsVerify: boolean;
  readonly env: Variables;
}

export interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

const tlsOptions = async (transport: Transport): Promise<object> => {
  if (transport.insecureSkipTlsVerify) return { rejectUnauthorized: false };
  if (transport.trustedCaFile === '') return {};
  const { readAuthorities } = await import('../../program/authorities.ts');
  try {
    return { ca: readAuthorities(transport.trustedCaFile) };
  } catch (error) {
    throw new CtlError(`--trusted-ca-file: ${(error as Error).message}`);
  }
};

const tunnelTo = async (url: URL, proxy: URL, tls: object, timeoutMs: number): Promise<Duplex> => {
  const { openTunnel } = await import('../../program/tunnel.ts');
  const secure = url.protocol === 'https:';
  const port = Number(url.port || (secure ? 443 : 80));
  return openTunnel(
    proxy,
    { host: url.hostname.replace(/^\[|\]$/g, ''), port, ...(secure ? { tls } : {}) },
    timeoutMs,
  );
};

const readAll = (response: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxAnswerBytes)
        response.destroy(new CtlError(`the answer is larger than ${maxAnswerBytes} bytes`));
      chunks.push(chunk);
    });
    response.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    response.once('error', reject);
    response.once('close', () => {
      if (!response.complete) reject(new CtlError('the connection ended in the middle of the answer'));
    });
  });

/** Resolves with the head of the answer; its body is still to be read. `started` gets the request, to end it early. */
const respond = async (
  asked: Asked,
  transport: Transport,
  started: (outgoing: ClientRequest) => void,
): Promise<IncomingMessage> => {
  const { url } = asked;
  const secure = url.protocol === 'https:';
  const tls = secure ? await tlsOptions(transport) : {};
  const proxy = proxyFor(url, transport.env);
  const socket = proxy === null ? undefined : await tunnelTo(url, proxy, tls, transport.timeoutMs);
  const { request } = secure && socket === undefined ? await import('node:https') : await import('node:http');
  const options: RequestOptions = {
    method: asked.method,
    headers: {
      ...asked.headers,
      Host: url.host,
      ...(asked.body === undefined ? {} : { 'Content-Length': Buffer.byteLength(asked.body) }),
    },
    ...tls,
    ...(socket === undefined ? {} : { createConnection: () => socket }),
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options, resolve);
    outgoing.once('error', reject);
    started(outgoing);
    outgoing.end(asked.body);
  });
};

const noAnswer = (): DOMException => new DOMException('no answer', 'TimeoutError');

const once = async (asked: Asked, transport: Transport): Promise<Reply> => {
  // A timer costs a third of an AbortSignal, which counts where thousands of resources are written.
  let timer: NodeJS.Timeout | undefined;
  try {
    const response = await respond(asked, transport, (outgoing) => {
      timer = setTimeout(() => outgoing.destroy(noAnswer()), transport.timeoutMs);
    });
    return { status: response.statusCode ?? 0, headers: response.headers, text: await readAll(response) };
  } finally {
    clearTimeout(timer);
  }
};

/** A body that goes on: the time limit is for its head alone. Ends with `signal`. */
export const openStream = async (
  asked: Asked,
  transport: Transport,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly body: IncomingMessage } | Reply> => {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(noAnswer()), transport.timeoutMs);
  try {
    const response = await respond(asked, transport, (outgoing) =>
      addAbortSignal(AbortSignal.any([signal, limit.signal]), outgoing),
    );
    const status = response.statusCode ?? 0;
    if (status < 300) return { status, body: response };
    return { status, headers: response.headers, text: await readAll(response) };
  } catch (error) {
    if (error instanceof CtlError) throw error;
    throw new CtlError(connectionProblem(error as NodeJS.ErrnoException, asked.url, transport.timeoutMs));
  } finally {
    clearTimeout(timer);
  }
};

const redirected = (asked: Asked, reply: Reply): Asked | undefined => {
  const { location } = reply.headers;
  if (![301, 302, 303, 307, 308].includes(reply.status) || location === undefined) return undefined;
  const url = new URL(location, asked.url);
  if (!/^https?:$/.test(url.protocol)) return undefined;
  // What was written for one server is not handed to another.
  if (
    url.origin !== asked.url.origin &&
    (asked.method !== 'GET' || asked.headers?.Authorization !== undefined)
  )
    throw new CtlError(
      `${asked.url.origin} redirects to ${url.origin}: use --api-url ${url.origin} if that is the backend`,
    );
  return { ...asked, url };
};

/** Rejects with a CtlError that names the address; any answer at all resolves. */
export const sendRequest = async (asked: Asked, transport: Transport): Promise<Reply> => {
  let next = asked;
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    let reply: Reply;
    try {
      reply = await once(next, transport);
    } catch (error) {
      if (error instanceof CtlError) throw error;
      throw new CtlError(connectionProblem(error as NodeJS.ErrnoException, next.url, transport.timeoutMs));
    }
    const onward = redirected(next, reply);
    if (onward === undefined) return reply;
    next = onward;
  }
  throw new CtlError(`${asked.url.origin} redirected more than ${maxRedirects} times`);
};
