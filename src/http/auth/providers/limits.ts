// The figures logins through providers keep to. Units are in the names.

/** To connect, and for each answer of a directory. */
export const directoryTimeoutMs = 5_000;
/** One login through a directory, all its servers together. */
export const directoryLoginTimeoutMs = 15_000;
/** Logins through directories under way at once; more are told to try again. */
export const maxDirectoryLogins = 16;
/** Groups of one user that are read. */
export const maxGroups = 1_000;
/** Longest name a provider may give somebody, in characters. */
export const maxIdentityCharacters = 256;
/** For each answer of an OIDC issuer. */
export const issuerTimeoutSeconds = 10;
/** Largest answer of an OIDC issuer. */
export const maxIssuerAnswerBytes = 1_048_576;
/** How long somebody may take to log in at their issuer. */
export const issuerLoginSeconds = 600;
/** What an issuer said about itself is asked for again after this long. */
export const discoveryLifetimeMs = 3_600_000;
