// Limits for logins through providers. Units are in the names.

/** Timeout for connecting, and for each response of a directory. */
export const directoryTimeoutMs = 5_000;
/** Timeout for one login through a directory, over all its servers. */
export const directoryLoginTimeoutMs = 15_000;
/** Maximum number of concurrent directory logins; more are asked to try again. */
export const maxDirectoryLogins = 16;
/** Maximum number of groups read per user. */
export const maxGroups = 1_000;
/** Maximum length of a user name from a provider, in characters. */
export const maxIdentityCharacters = 256;
/** Timeout for each response of an OIDC issuer. */
export const issuerTimeoutSeconds = 10;
/** Maximum response size of an OIDC issuer. */
export const maxIssuerAnswerBytes = 1_048_576;
/** Time limit for a user to log in at the issuer. */
export const issuerLoginSeconds = 600;
/** Maximum age of a cached discovery document. */
export const discoveryLifetimeMs = 3_600_000;
