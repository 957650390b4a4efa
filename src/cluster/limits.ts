// Limits and intervals of a cluster. Units are in the names.

/** Shards of a cluster. Part of the format of a database: it never changes. */
export const shardCount = 256;

/** Requests of one backend that wait for a reply; one more is refused. */
export const maxWaitingRequests = 4_096;
/** How often timeouts of requests are looked at. They fire at most this late. */
export const requestTickMs = 50;

/** A connection without any answer to two pings in a row is given up. */
export const busPingMs = 2_000;
/** How long connecting to one server may take. */
export const busConnectMs = 5_000;
/** The pause between two attempts to reach the same server, with as much again at random. */
export const busReconnectMs = 250;
/** Different complaints of the server that are reported between two reconnects. */
export const maxComplaints = 100;
/** After this a subscription that the server refused is tried again. */
export const busResubscribeMs = 2_000;

/** Messages in one batch for another backend. */
export const maxBatchMessages = 256;
/** A batch that is not full is sent after this. */
export const batchDelayMs = 1;
/** Batches to one backend that wait for their replies. While they do, the next batch grows. */
export const maxBatchesInFlight = 4;
/** Messages for other backends that one backend holds until they are settled; one more is refused as busy. */
export const maxHeldMessages = 10_000;
/** The same in bytes. */
export const maxHeldBytes = 64 * 1_048_576;
/** A batch without a reply is offered again after this. */
export const batchReplyMs = 5_000;
/** The owner replies after this at the latest. What is not settled by then is asked for again. */
export const maxSettleMs = 1_000;
/** A message that nobody settled for so long is given up: the caller is told that the outcome is unknown. */
export const holdMessageMs = 30_000;
/** Pauses before a shard without a reachable owner is offered again: doubled from the first to the last. */
export const minShardRestMs = 50;
export const maxShardRestMs = 1_000;
/** A failure that comes with every batch is logged once in this time. */
export const complaintIntervalMs = 10_000;
/** Senders whose last batches an owner remembers, so that a batch that comes twice is applied once. */
export const maxRememberedSenders = 256;
/** The text of an outcome, in characters. */
export const maxOutcomeCharacters = 512;
/** The address of a message, in bytes of UTF-8. */
export const maxAddressBytes = 4_096;

/** What surrounds an answer to a question, as JSON. */
export const answerHeadBytes = 64;
/** How often backends whose answers were cut short are asked for more of one page. The page is shorter after that. */
export const maxGatherRounds = 64;

/** How often a backend repeats the number of its last change of the configuration. */
export const newsPulseMs = 500;
/** Changes of the configuration that wait to be read one by one. With more, everything is read. */
export const maxPendingChanges = 1_000;
/** A write whose reply was lost is looked for again after this: longer than a request to the store can be on its way. */
export const lateWriteMs = 60_000;
/** Pauses before a change is read again after a failure: doubled from the first to the last. */
export const minReadAgainMs = 100;
export const maxReadAgainMs = 1_000;

/** How often a member writes its heartbeat, and reads the leases and the heartbeats of the others. */
export const memberBeatMs = 1_000;
export const memberReadMs = 500;
/** How often a member looks at what is due. */
export const memberTickMs = 250;
/** Requests about leases between two ticks, at most. */
export const memberRequestsPerTick = 8;
/** A request to the store that was not answered by then counts as failed; it may still take effect. */
export const memberRequestMs = 2_000;

/**
 * A member accepts and acknowledges nothing once its last confirmed heartbeat was sent this long ago, by its monotonic or
 * its wall clock. Others wait for `memberPatienceMs` of theirs: clocks may run at rates up to 1.5 apart.
 */
export const memberFreshMs = 4_000;
export const memberPatienceMs = 6_000;
/** Nothing is handed to a member whose heartbeat has not moved for this long. */
export const memberQuietMs = 2_500;
/** Records of dead members are kept this long, so that no late write brings one back to life. */
export const memberForgetMs = 600_000;

/** Shards that one member claims or loads at once. */
export const shardTakesAtOnce = 32;
/** Shards that are on their way from one member to others at once, unless it drains. */
export const shardMovesAtOnce = 8;

/** The smallest `max_payload` of the NATS server: an event may have 1 MiB, and grows a little as JSON. */
export const minBusPayloadBytes = 2_000_000;
/** How long a member waits for a short answer of another one, or of the NATS server. */
export const busCheckMs = 2_000;
/** How long the first message to itself may take, when a member starts. */
export const busProbeMs = 10_000;
