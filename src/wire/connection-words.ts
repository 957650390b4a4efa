// Why a connection to a backend could not be made, in words that say what to do: the usual mistakes with TLS come out of the
// libraries as `socket hang up` or `wrong version number`.

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

/** What to do about a refused handshake; undefined where the backend's own words say it. */
const refusalHint = (status: number, body: string): string | undefined => {
  if (status === 401) return 'check --user and --password, or the certificate';
  if (status === 404 && body.startsWith('{'))
    return 'this looks like the port of the HTTP API: agents connect to --agent-port of the backend, 8081 in most places';
  return undefined;
};

/** `handshake failed with status 401: bad credentials: check --user and --password, or the certificate` */
export const describeRefusal = (status: number, body: string): string =>
  [`handshake failed with status ${status}`, body, refusalHint(status, body)].filter(Boolean).join(': ');

/** The backend ended a session because the same agent opened another one. */
const replaced = 4001;

/** `connection closed with code 1001: bye` */
export const describeClose = (code: number, reason: string): string => {
  const said = `connection closed with code ${code}${reason === '' ? '' : `: ${reason}`}`;
  return code === replaced
    ? `${said}: if another agent has this name, give one of them another --name`
    : said;
};

const hint = (url: URL, code: string, message: string): string | undefined => {
  if (!isSecure(url)) {
    const closed = code === 'ECONNRESET' || message === 'socket hang up';
    return closed
      ? `the other side hung up before it answered: if the backend speaks TLS, use ${withScheme(url, true)}`
      : undefined;
  }
  if (/wrong version number|packet length too long/i.test(message))
    return `the backend does not speak TLS on this port: use ${withScheme(url, false)}, or give the backend a certificate`;
  if (/disconnected before secure TLS/i.test(message))
    return `the other side hung up during the TLS handshake: if the backend does not speak TLS, use ${withScheme(url, false)}`;
  if (untrusted.has(code))
    return 'the certificate of the backend is not signed by an authority this machine trusts: name its authority with --trusted-ca-file';
  if (code === 'CERT_HAS_EXPIRED') return 'the certificate of the backend has expired: renew it';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `the certificate of the backend is for another name than ${url.hostname}: use a name it holds`;
  if (
    /alert (bad certificate|certificate required|certificate unknown|unknown ca)|handshake failure/i.test(
      message,
    )
  )
    return 'the backend wants a certificate it trusts: give one with --cert-file and --key-file';
  return undefined;
};

/** The text of an OpenSSL error without its address and source line. */
const shortened = (message: string): string =>
  message
    .trim()
    .replace(/[0-9A-F]{8,}:error:[0-9A-F]+:/, '')
    .replace(/:\.\.\/deps\/openssl\S*$/, '');

/** `wrong version number: the backend does not speak TLS on this port: use ws://...` */
export const describeConnectionError = (address: string, error: NodeJS.ErrnoException): string => {
  const code = error.code ?? '';
  const message = error.message === '' ? code : error.message;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const words = url === undefined ? undefined : hint(url, code, message);
  return words === undefined ? message : `${shortened(message)}: ${words}`;
};
