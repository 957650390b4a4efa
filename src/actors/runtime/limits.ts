// The limits of the actor runtime; each names its unit.

/** Longest wait one Node timer can take; a longer one fires at once, so waits are split. */
export const maxTimerMs = 2 ** 31 - 1;
/** How often the scheduler looks at itself while anything is armed: loop lag and pauses show here. */
export const lagProbeMs = 1_000;
/** A timer later than this means that the process was held up; forgiving deadlines are pushed by it. */
export const forgivenLagMs = 1_000;
/** A wall clock that is this much away from where it should be was set, not slewed. */
export const wallStepMs = 1_000;
/** Deadlines fired in one go before the loop gets its turn. */
export const maxDeadlinesPerTurn = 1_000;

/** Messages handled before the event loop gets its turn. */
export const maxTurnMessages = 300;
/** Time spent on messages before the event loop gets its turn. */
export const maxTurnMs = 8;
/** Messages one actor handles before the next actor with mail gets its turn. */
export const maxBatchMessages = 16;

/** Microsteps (eventless transitions, raised events) one message may cause before the machine counts as stuck: a crash. */
export const maxMicrosteps = 1_000;
/** The same for a dry run, which answers with an error. */
export const maxDryRunMicrosteps = 100;

/** Senders that wait for one coalesced message; one more is refused. */
export const maxJoinedReceipts = 1_000;

export const minBackoffMs = 1_000;
export const maxBackoffMs = 60_000;
/** Share of the back-off added at random, so that what fell together does not come back together. */
export const backoffJitter = 0.2;
/** A child that ran this long without failing starts again from the shortest back-off. */
export const quietPeriodMs = 60_000;
/** Mail waits for a restart that comes within this time; for a later one it is refused at once. */
export const mailKeptMs = 2_000;

export const defaultIntensity = 3;
export const defaultPeriodMs = 60_000;

/** More failures of one child than this within the period, and it is quarantined. */
export const quarantineFailures = 5;
export const quarantinePeriodMs = 60_000;
/** More than this share of the children failing within the period is a shared fault: the supervisor restarts. */
export const sharedFaultShare = 0.1;
export const sharedFaultMinChildren = 10;
export const sharedFaultPeriodMs = 30_000;

export const defaultShutdownMs = 5_000;
export const defaultStartTimeoutMs = 30_000;
/** Receipts held by a crashed actor are refused after this long. */
export const heldReceiptGraceMs = 1_000;
/** Children started in one go by a supervisor before the event loop gets its turn. */
export const maxStartsPerTurn = 200;

/** Poison messages remembered per actor, the newest ones. */
export const maxParkedMessages = 256;
/** Messages remembered per actor that it crashed on once, the newest ones. */
export const maxSuspectMessages = 64;
/** Longest patience of an ask. */
export const maxAskMs = 24 * 60 * 60 * 1_000;

/** Transitions kept per watched actor. */
export const keptTransitions = 50;
/** Failures remembered per child, for inspection. */
export const keptFailures = 5;
/** Children listed per supervisor in a tree dump unless asked otherwise. */
export const maxTreeChildren = 1_000;
