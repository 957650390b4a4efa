// login oidc: a login at an OIDC issuer in the browser. The backend sends the browser back to a listener on this machine, on a port
// of its own, with the tokens; a random word in the address shows that the answer belongs to this login.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiClient } from '../client/api-client.ts';
import type { Transport } from '../client/http-request.ts';
import type { Tokens } from '../client/tokens.ts';
import { CtlError } from '../failure.ts';
import { browserLoginMs } from '../limits.ts';
import type { Session } from '../session.ts';

interface Provider {
  readonly name: string;
  readonly type: string;
  readonly url: string;
}

const chooseProvider = async (client: ApiClient, wanted: string | undefined): Promise<Provider> => {
  const providers = (await client.get('/auth/providers')) as readonly Provider[];
  const known = providers.filter(({ type }) => type === 'oidc');
  const names = known.map(({ name }) => name).join(', ');
  const [first, ...others] = wanted === undefined ? known : known.filter(({ name }) => name === wanted);
  if (first === undefined)
    throw new CtlError(
      known.length === 0
        ? 'no OIDC issuer is set up at this backend; log in with a password'
        : `there is no OIDC issuer "${wanted}"; known are ${names}`,
    );
  if (others.length > 0)
    throw new CtlError(`there are several OIDC issuers: name one of ${names} with --provider`);
  return first;
};

const programs: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Quietly nothing where there is no browser: the address is printed. */
const openBrowser = (session: Session, address: string): void => {
  const [program = 'xdg-open', ...args] =
    session.streams.env.BROWSER?.split(' ') ?? programs[process.platform] ?? [];
  const child = spawn(program, [...args, address], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
};

const page = (text: string): string =>
  `<!doctype html><meta charset="utf-8"><title>mon-ctl</title><p style="font: 1.2rem sans-serif; margin: 3rem">${text}</p>`;

/** The tokens of the one request that carries the word. */
const tokensOf = (url: URL, word: string): Tokens | CtlError | undefined => {
  const query = url.searchParams;
  if (url.pathname !== '/callback' || query.get('login') !== word) return undefined;
  const token = query.get('access_token');
  if (token === null)
    return new CtlError(
      `the login was refused: ${query.get('error_description') ?? query.get('error') ?? 'no token came back'}`,
    );
  return {
    access_token: token,
    expires_at: Number(query.get('expires_at') ?? 0),
    refresh_token: query.get('refresh_token') ?? '',
  };
};

const awaitTokens = (server: Server, word: string): Promise<Tokens> =>
  new Promise((resolve, reject) => {
    const late = setTimeout(
      () => reject(new CtlError(`nobody came back from the browser within ${browserLoginMs / 1000} s`)),
      browserLoginMs,
    );
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const found = tokensOf(new URL(request.url ?? '/', 'http://127.0.0.1'), word);
      const text =
        found === undefined
          ? 'This address is not part of a login.'
          : found instanceof CtlError
            ? 'The login was refused; the terminal says why.'
            : 'You are logged in. You can close this window.';
      // Tokens must stay neither in the history nor in a referrer: the page is answered, and replaced by one without them.
      response.writeHead(found === undefined ? 404 : 200, {
        'Content-Type': 'text/html; charset=utf-8',
        'Cache-Control': 'no-store',
        'Referrer-Policy': 'no-referrer',
        Connection: 'close',
      });
      response.end(`${page(text)}<script>history.replaceState(null, '', '/')</script>`);
      if (found === undefined) return;
      clearTimeout(late);
      if (found instanceof CtlError) reject(found);
      else resolve(found);
    });
  });

export const logInWithBrowser = async (
  session: Session,
  apiUrl: string,
  transport: Transport,
): Promise<Tokens> => {
  const { given } = session;
  const client = new ApiClient(apiUrl, transport);
  const provider = await chooseProvider(client, given.provider as string | undefined);
  const word = randomBytes(16).toString('base64url');
  const server = createServer();
  const port = typeof given.port === 'string' ? Number(given.port) : 0;
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new CtlError(`--port must be 0 to 65535 (got "${String(given.port)}")`);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new CtlError(`unable to listen on 127.0.0.1:${port}: ${error.message}`)),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  try {
    const address = new URL(provider.url, apiUrl);
    const { port: own } = server.address() as AddressInfo;
    address.searchParams.set('callback', `http://127.0.0.1:${own}/callback?login=${word}`);
    const tokens = awaitTokens(server, word);
    session.note(`Log in with your browser at:\n  ${address.href}`);
    if (given['no-browser'] !== 'true') openBrowser(session, address.href);
    return await tokens;
  } finally {
    server.close();
    server.closeAllConnections();
  }
};
