// Limits of the HTTP API. Units are in the names.

/** Maximum number of open streams, per user and in total. */
export const maxStreamsPerUser = 16;
export const maxStreams = 256;
/** Maximum delay until a stream ends after its login ended. */
export const msBetweenStreamReviews = 2_000;

/** Maximum request body size. */
export const bodyLimitBytes = 512_000;
export const requestTimeoutMs = 30_000;
export const connectionTimeoutMs = 30_000;
export const headersTimeoutMs = 10_000;
/** Of every listener with TLS: a connection without a finished handshake is closed. Node's own default is 120 s. */
export const tlsHandshakeTimeoutMs = 5_000;
/** Time limit for pending requests during shutdown. */
export const drainTimeoutMs = 5_000;
export const maxRequestsPerSocket = 10_000;
/** Maximum length of a percent-encoded path parameter, in characters. */
export const maxPathParameterCharacters = 1_024;
/** Maximum page size in items. A larger request gets this many and a continue token. */
export const maxPageItems = 1_000;
/** Maximum page size in characters of JSON; a page has at least one item. */
export const maxPageBytes = 4_194_304;
/** Items read at once when a whole list is requested. */
export const sliceItems = 100;
/** Chunk size of a whole list. */
export const maxChunkBytes = 65_536;
/** Responses of at least this size count as large; their unread data is limited. */
export const largeAnswerBytes = 65_536;
/** Total size of large responses being read; above it, a large response becomes a 503. */
export const maxUnreadAnswerBytes = 134_217_728;
/** Accounted size of one whole list, chunks and items in memory. */
export const wholeListBytes = 1_048_576;
/** Maximum time a client may take to read a large response. */
export const maxAnswerMs = 600_000;
/** Answers from this size on are packed, so many at once; the others go out as they are. */
export const compressFromBytes = 2_048;
export const maxCompressions = 2;
/** Maximum number of API connections; more are closed immediately. */
export const maxConnections = 10_000;
/** Maximum length of a selector expression, in characters. */
export const maxSelectorCharacters = 4_096;
/** Retry-After while the backend starts. */
export const startupRetryAfterSeconds = 5;
/** `/metrics` is cached for this long. */
export const scrapeLifetimeMs = 1_000;
/** How often the lengths of queues are looked at for their peaks, and how long a peak is kept at least. */
export const msBetweenQueueLooks = 1_000;
export const queuePeakMs = 60_000;
export const healthTimeoutSeconds = 3;
export const maxHealthTimeoutSeconds = 60;

export const accessTokenSeconds = 5 * 60;
export const refreshTokenSeconds = 12 * 60 * 60;
/** Maximum token length: as much as fits into request headers. */
export const maxTokenCharacters = 16_384;
/** Maximum number of logins per user; a new login ends the oldest. */
export const maxSessionsPerUser = 256;
/** Maximum number of cached tokens and of cached credentials. */
export const maxRemembered = 20_000;
/** Maximum memory for claims of cached tokens, measured by token size. */
export const maxRememberedBytes = 33_554_432;

/** bcrypt is slow by design: concurrent operations, queued operations, then 503. */
export const hashingWorkers = 2;
export const maxHashingQueue = 16;
export const hashingRetryAfterSeconds = 2;
export const bcryptCost = 10;
/** bcrypt ignores further bytes, so longer passwords are rejected. */
export const maxPasswordBytes = 72;

/** Failed attempts per name and address, and per address, before attempts are throttled. */
export const guessesPerMinutePerName = 10;
export const guessesPerMinutePerAddress = 30;
export const guessWindowMs = 60_000;
/** Interval between throttled attempts. */
export const msBetweenGuessesOfName = 2_000;
export const msBetweenGuessesOfAddress = 100;
/** Shorter than the agent handshake timeout. */
export const maxGuessWaitMs = 4_000;
/** Maximum number of throttle entries, per name and address, and per address. */
export const maxThrottledKeys = 20_000;
/** Maximum bcrypt cost of a supplied hash: verifying it takes about 3 s. */
export const maxBcryptCost = 16;
