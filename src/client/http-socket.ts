// The HTTP socket of the client: plain HTTP, one request per connection, exact
// paths. Existing tools depend on the codes and texts of the responses.
import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { isMap, type Json } from '../model/earlier/json.ts';
import { redact } from '../model/earlier/redaction.ts';
import { maxHttpBodyBytes } from './limits.ts';
import type { LocalResults } from './local-result.ts';
import type { ClientLog } from './log.ts';

export interface HttpSocketOptions {
  readonly bind: string;
  /** 0 means any free port. */
  readonly port: number;
  readonly settings: () => Json;
  readonly transportInfo: () => Promise<object>;
  readonly version: string;
  readonly results: LocalResults;
  readonly log: ClientLog;
}

export interface HttpSocket {
  readonly port: number;
  close(): Promise<void>;
}

interface Answer {
  readonly code: number;
  readonly reason: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Endpoint {
  readonly help: string;
  readonly method: 'GET' | 'POST';
  readonly isProtected: (credentials: Credentials) => boolean;
  readonly answer: (request: IncomingMessage, query: string, options: HttpSocketOptions) => Promise<Answer>;
}

interface Credentials {
  readonly user: unknown;
  readonly password: unknown;
  readonly protectsAll: boolean;
}

const said = (code: number, reason: string, response: string): Answer => ({
  code,
  reason,
  body: { response },
});
const notJson = said(400, 'Failed to parse JSON body', 'Failed to parse JSON body');
const wrongType = said(415, 'Only application/json content type accepted', 'Invalid content type');
const broken = said(
  500,
  'Internal Server Error',
  'Internal Server Error: Check your Mon logs for error details',
);
const tooBig = said(413, 'Payload Too Large', 'Request body too large');
const teapot = said(418, "I'm a teapot", "I'm a teapot!");
const accepted = said(202, 'OK', 'ok');
const unauthorized: Answer = {
  ...said(
    401,
    'Unauthorized',
    'You must be authenticated using your http_options user and password settings',
  ),
  headers: { 'WWW-Authenticate': 'Basic realm="Mon Client Restricted Area"' },
};

const readBody = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxHttpBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const parsed = (body: Buffer): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(body.toString('utf8')) as unknown };
  } catch {
    return undefined;
  }
};

const info: Endpoint['answer'] = async (_request, _query, { version, transportInfo }) => ({
  code: 200,
  reason: 'OK',
  body: { sensu: { version }, transport: await transportInfo() },
});

const takeResults: Endpoint['answer'] = async (request, _query, { results, log }) => {
  if (request.headers['content-type']?.includes('application/json') !== true) return wrongType;
  const body = await readBody(request);
  if (body === undefined) return tooBig;
  const json = parsed(body);
  if (json === undefined) return notJson;
  const verdict = results.take(json.value);
  if (verdict.ok) return accepted;
  log.error('failed to process check result from http socket', {
    data: verdict.result,
    error: verdict.problem,
  });
  return broken;
};

const showSettings: Endpoint['answer'] = async (_request, query, { settings }) => ({
  code: 200,
  reason: 'OK',
  body: query.toLowerCase().includes('redacted=false') ? settings() : redact(settings()),
});

const endpoints: ReadonlyMap<string, Endpoint> = new Map<string, Endpoint>([
  [
    '/info',
    {
      help: 'Mon client information',
      method: 'GET',
      isProtected: ({ protectsAll }) => protectsAll,
      answer: info,
    },
  ],
  [
    '/results',
    {
      help: 'Send check JSON results here',
      method: 'POST',
      isProtected: ({ protectsAll }) => protectsAll,
      answer: takeResults,
    },
  ],
  [
    '/settings',
    {
      help: 'Get redacted Mon settings (requires basic auth). Use ?redacted=false if you want the setting unredacted.',
      method: 'GET',
      isProtected: () => true,
      answer: showSettings,
    },
  ],
  [
    '/brew',
    {
      help: 'Ask Mon to brew a cup of joe (try it!)',
      method: 'GET',
      isProtected: ({ protectsAll }) => protectsAll,
      answer: async () => teapot,
    },
  ],
]);

const help: Answer = {
  code: 404,
  reason: 'Not Found',
  body: {
    endpoints: Object.fromEntries(
      [...endpoints].map(([path, { help, method }]) => [path, { help, methods: [method] }]),
    ),
  },
};

const credentialsOf = (settings: Json): Credentials => {
  const client = isMap(settings['client']) ? settings['client'] : {};
  const socket = isMap(client['http_socket']) ? client['http_socket'] : {};
  return {
    user: socket['user'],
    password: socket['password'],
    protectsAll: socket['protect_all_endpoints'] === true,
  };
};

const sameText = (given: string, wanted: string): boolean => {
  const [left, right] = [Buffer.from(given), Buffer.from(wanted)];
  return left.length === right.length && timingSafeEqual(left, right);
};

/**
 * Without configured credentials, access is denied. A colon ends the password, so a password with a colon never
 * matches.
 */
const isAuthorized = (request: IncomingMessage, { user, password }: Credentials): boolean => {
  if (typeof user !== 'string' || typeof password !== 'string') return false;
  const [scheme, encoded, more] = (request.headers.authorization ?? '').split(' ');
  if (scheme !== 'Basic' || encoded === undefined || more !== undefined) return false;
  const [givenUser = '', givenPassword = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return sameText(givenUser, user) && sameText(givenPassword, password);
};

const decide = async (request: IncomingMessage, options: HttpSocketOptions): Promise<Answer> => {
  const [path = '', ...rest] = (request.url ?? '').split('?');
  const endpoint = endpoints.get(path);
  if (endpoint === undefined) {
    options.log.warn('http socket unknown endpoint requested', {
      http_method: request.method,
      http_uri: path,
    });
    return help;
  }
  if (request.method !== endpoint.method) {
    const methods = JSON.stringify([endpoint.method]);
    return said(405, 'Method Not Allowed', `Valid methods for this endpoint: ${methods}`);
  }
  const credentials = credentialsOf(options.settings());
  if (endpoint.isProtected(credentials) && !isAuthorized(request, credentials)) {
    options.log.warn('http socket refusing to serve unauthorized request', { http_uri: path });
    return unauthorized;
  }
  return endpoint.answer(request, rest.join('?'), options);
};

/** The same headers and spelling as the reference product; the connection closes after the response. */
const send = (response: ServerResponse, { code, reason, body, headers = {} }: Answer): void => {
  const text = JSON.stringify(body);
  response.sendDate = false;
  response.shouldKeepAlive = false;
  response.removeHeader('Connection');
  response.writeHead(code, reason, {
    'Content-length': String(Buffer.byteLength(text)),
    'Content-type': 'application/json',
    ...headers,
  });
  response.end(text);
};

const badRequest = [
  'HTTP/1.1 400 Bad request',
  'Connection: close',
  'Content-type: text/plain',
  'Content-length: 29',
  '',
  'Detected error: HTTP code 400',
].join('\r\n');

const createHttp = (options: HttpSocketOptions): Server => {
  const server = createServer((request, response) => {
    decide(request, options)
      .catch((error: Error) => {
        options.log.error('http socket failed to respond', { error: error.message });
        return broken;
      })
      .then((answer) => send(response, answer));
  });
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end(badRequest);
    else socket.destroy();
  });
  return server;
};

/** Rejects if the port is not available. */
export const openHttpSocket = (options: HttpSocketOptions): Promise<HttpSocket> =>
  new Promise((resolve, reject) => {
    const server = createHttp(options);
    const open = new Set<Socket>();
    server.on('connection', (socket) => {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
    });
    server.once('error', reject);
    server.listen(options.port, options.bind, () => {
      server.off('error', reject);
      resolve({
        port: (server.address() as AddressInfo).port,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            for (const socket of open) socket.destroy();
          }),
      });
    });
  });
