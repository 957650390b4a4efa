// The certificate authorities that the backend trusts for outgoing TLS connections: the store, secrets providers,
// directories, OIDC issuers. A connection with its own configured authorities does not use these.

/**
 * PEM certificates of all trusted authorities; undefined means the runtime's defaults. Returns the same array until
 * the file is reloaded.
 */
export type TrustedAuthorities = () => string[] | undefined;

export const runtimeAuthorities: TrustedAuthorities = () => undefined;

/** The matching TLS option. */
export const trusting = (authorities: TrustedAuthorities): { readonly ca?: string[] } => {
  const ca = authorities();
  return ca === undefined ? {} : { ca };
};
