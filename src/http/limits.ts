// The figures the HTTP side keeps to. Units are in the names. Sources: promises sheet 3.5 and row 23, API sheet 1 and 3.

/** Streams of one user, and of all, that are open at once. */
export const maxStreamsPerUser = 16;
export const maxStreams = 256;
/** How soon a stream ends whose login was ended. */
export const msBetweenStreamReviews = 2_000;

/** Largest request body. */
export const bodyLimitBytes = 512_000;
export const requestTimeoutMs = 30_000;
export const connectionTimeoutMs = 30_000;
export const headersTimeoutMs = 10_000;
/** How long requests under way may take once the server is closing. */
export const drainTimeoutMs = 5_000;
export const maxRequestsPerSocket = 10_000;
/** Longest path parameter, percent-encoded, in characters. */
export const maxPathParameterCharacters = 1_024;
/** Longest page of a list, in items. A client that asks for more gets this many and the token of the rest. */
export const maxPageItems = 1_000;
/** A page ends here, after at least one item. In characters of its JSON. */
export const maxPageBytes = 4_194_304;
/** Items read at once when a whole list is asked for. */
export const sliceItems = 100;
/** What a whole list is written in. */
export const maxChunkBytes = 65_536;
/** Answers of at least this size count as large: what is not yet read of them is bounded. */
export const largeAnswerBytes = 65_536;
/** All large answers that clients are still reading; beyond it a large answer is 503. */
export const maxUnreadAnswerBytes = 134_217_728;
/** What one whole list counts as, chunks and items in hand. */
export const wholeListBytes = 1_048_576;
/** Longest a client may take to read a large answer. */
export const maxAnswerMs = 600_000;
/** Answers from this size on are packed, so many at once; the others go out as they are. */
export const compressFromBytes = 2_048;
export const maxCompressions = 2;
/** Connections to the API at once; more are closed at once. */
export const maxConnections = 10_000;
/** Longest selector expression, in characters. */
export const maxSelectorCharacters = 4_096;
/** What a client is told to wait while the backend starts. */
export const startupRetryAfterSeconds = 5;
/** `/metrics` is made anew after this; whoever asks sooner gets the same text. */
export const scrapeLifetimeMs = 1_000;
export const healthTimeoutSeconds = 3;
export const maxHealthTimeoutSeconds = 60;

export const accessTokenSeconds = 5 * 60;
export const refreshTokenSeconds = 12 * 60 * 60;
/** Longest token that is read: as much as fits into the headers of a request. */
export const maxTokenCharacters = 16_384;
/** Logins kept for one user; the oldest one ends when a new one comes. */
export const maxSessionsPerUser = 256;
/** Verified tokens and credentials remembered, each. */
export const maxRemembered = 20_000;
/** What the claims of remembered tokens may take, in bytes of the tokens they came in. */
export const maxRememberedBytes = 33_554_432;

/** bcrypt is meant to be slow: so many at a time, so many waiting, then 503. */
export const hashingWorkers = 2;
export const maxHashingQueue = 16;
export const hashingRetryAfterSeconds = 2;
export const bcryptCost = 10;
/** bcrypt reads no further than this: longer passwords are refused, never cut. */
export const maxPasswordBytes = 72;
export const minPasswordCharacters = 8;

/** Wrong passwords for one name from one address, and from one address for any name, before tries take turns. */
export const guessesPerMinutePerName = 10;
export const guessesPerMinutePerAddress = 30;
export const guessWindowMs = 60_000;
/** Between two turns past those limits. */
export const msBetweenGuessesOfName = 2_000;
export const msBetweenGuessesOfAddress = 100;
/** Shorter than an agent's handshake may take. */
export const maxGuessWaitMs = 4_000;
/** Entries remembered by the throttle, by name and address and by address, each. */
export const maxThrottledKeys = 20_000;
/** Highest cost of a hash that somebody hands in: checking it takes about 3 s. */
export const maxBcryptCost = 16;
