// Explains why a connection to a backend failed and what to do. Common TLS mistakes surface as `socket hang up` or
// `wrong version number` from the libraries.

const untrusted: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

const withScheme = (url: URL, secure: boolean): string => {
  const scheme = url.protocol.startsWith('http') ? 'http' : 'ws';
  return `${scheme}${secure ? 's' : ''}://${url.host}`;
};

const isSecure = ({ protocol }: URL): boolean => protocol === 'wss:' || protocol === 'https:';

/** Advice for a rejected handshake; undefined if the backend's message is sufficient. */
const refusalHint = (status: number, body: string): string | undefined => {
  if (status === 401) return 'check --user and --password, or the certificate';
  if (status === 404 && body.startsWith('{'))
    return "this looks like the port of the HTTP API; agents connect to the backend's --agent-port (default 8081)";
  return undefined;
};

/** `handshake failed with status 401: bad credentials: check --user and --password, or the certificate` */
export const describeRefusal = (status: number, body: string): string =>
  [`handshake failed with status ${status}`, body, refusalHint(status, body)].filter(Boolean).join(': ');

/** The backend closed this session because the same agent opened another one. */
const replaced = 4001;

/** `connection closed with code 1001: bye` */
export const describeClose = (code: number, reason: string): string => {
  const said = `connection closed with code ${code}${reason === '' ? '' : `: ${reason}`}`;
  return code === replaced
    ? `${said}: if another agent uses this name, give one of them a different --name`
    : said;
};

const hint = (url: URL, code: string, message: string): string | undefined => {
  if (!isSecure(url)) {
    const closed = code === 'ECONNRESET' || message === 'socket hang up';
    return closed
      ? `the peer closed the connection without a response: if the backend uses TLS, use ${withScheme(url, true)}`
      : undefined;
  }
  if (/wrong version number|packet length too long/i.test(message))
    return `the backend does not use TLS on this port: use ${withScheme(url, false)}, or give the backend a certificate`;
  if (/disconnected before secure TLS/i.test(message))
    return `the peer closed the connection during the TLS handshake: if the backend does not use TLS, use ${withScheme(url, false)}`;
  if (untrusted.has(code))
    return "the backend's certificate is not signed by an authority that this machine trusts: set --trusted-ca-file to its authority";
  if (code === 'CERT_HAS_EXPIRED') return "the backend's certificate has expired: renew it";
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `the backend's certificate is not valid for ${url.hostname}: connect with a name in the certificate`;
  if (
    /alert (bad certificate|certificate required|certificate unknown|unknown ca)|handshake failure/i.test(
      message,
    )
  )
    return 'the backend requires a trusted client certificate: set --cert-file and --key-file';
  return undefined;
};

/** An OpenSSL error message without address and source line. */
const shortened = (message: string): string =>
  message
    .trim()
    .replace(/[0-9A-F]{8,}:error:[0-9A-F]+:/, '')
    .replace(/:\.\.\/deps\/openssl\S*$/, '');

/** `wrong version number: the backend does not use TLS on this port: use ws://...` */
export const describeConnectionError = (address: string, error: NodeJS.ErrnoException): string => {
  const code = error.code ?? '';
  const message = error.message === '' ? code : error.message;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const words = url === undefined ? undefined : hint(url, code, message);
  return words === undefined ? message : `${shortened(message)}: ${words}`;
};
