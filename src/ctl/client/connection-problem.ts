// Why a backend could not be reached, in a sentence that says what to do about it.

const certificateHint =
  'name the authority that signed it with --trusted-ca-file, or accept any certificate with --insecure-skip-tls-verify';

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there; is the backend running, and is the address right?',
  ENOTFOUND: 'no such host; check the spelling of the address',
  EAI_AGAIN: 'the name of the host could not be resolved now; check the network',
  ETIMEDOUT: 'the host did not answer; check the network and firewalls',
  EHOSTUNREACH: 'there is no route to the host; check the network',
  ENETUNREACH: 'there is no route to the network of the host',
  ECONNRESET: 'the connection was closed before an answer came; does the backend speak https there?',
  DEPTH_ZERO_SELF_SIGNED_CERT: `its certificate is self-signed; ${certificateHint}`,
  SELF_SIGNED_CERT_IN_CHAIN: `its certificate was signed by an authority that is not trusted here; ${certificateHint}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `its certificate was signed by an authority that is not trusted here; ${certificateHint}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `its certificate was signed by an authority that is not trusted here; ${certificateHint}`,
  CERT_HAS_EXPIRED: 'its certificate has expired; renew it at the backend',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is for another host name; use one of its names in the API URL',
};

/** `url` is where the request went. */
export const connectionProblem = (error: NodeJS.ErrnoException, url: URL, timeoutMs: number): string => {
  const start = `unable to reach ${url.origin}: `;
  if (error.name === 'TimeoutError' || error.name === 'AbortError')
    return `${start}no answer within ${timeoutMs / 1000} s; --timeout sets a longer time`;
  const code = error.code ?? '';
  const reason = reasons[code];
  if (reason !== undefined) return start + reason;
  if (/wrong version number|packet length too long/i.test(error.message))
    return `${start}it does not speak TLS; does the API URL begin with http:// instead of https://?`;
  if (code.startsWith('HPE_')) return `${start}it does not speak HTTP; is this the port of the API?`;
  return `${start}${error.message || code}`;
};
