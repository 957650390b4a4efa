// Whom the backend trusts when it connects to others over TLS: the store, secrets stores, directories, issuers. Where one of
// those is configured with authorities of its own, these are not asked.

/**
 * Certificates (PEM) of all authorities trusted; undefined: those the runtime trusts by itself. The same array until the
 * file was read anew.
 */
export type TrustedAuthorities = () => string[] | undefined;

export const runtimeAuthorities: TrustedAuthorities = () => undefined;

/** The part of TLS options that says so. */
export const trusting = (authorities: TrustedAuthorities): { readonly ca?: string[] } => {
  const ca = authorities();
  return ca === undefined ? {} : { ca };
};
