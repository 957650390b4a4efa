// The limits of the model. Units are in the names.

/** Maximum name length, in characters. A key made of three such names fits the key limit of every store. */
export const maxNameCharacters = 600;

/** Maximum nesting depth of a JSON document. */
export const maxJsonDepth = 64;

/** Maximum number of keys in one JSON object. */
export const maxJsonKeys = 10_000;

/** Default maximum size of a JSON document; the body limit of the reference product. */
export const maxJsonBytes = 512_000;

/** Maximum number of steps of one template run, which ends nested ranges. */
export const maxTemplateSteps = 100_000;

/** Maximum output of one template, in characters. */
export const maxTemplateCharacters = 1_048_576;

/** Maximum nesting of expressions and blocks in a template. */
export const maxTemplateDepth = 64;

/** Maximum length of an expression in a filter, an asset or a proxy request, in characters. */
export const maxExpressionCharacters = 65_536;

/** Maximum number of expressions in one filter, proxy request or asset build. Each runs for every event or entity. */
export const maxExpressions = 256;

/**
 * Maximum number of items in one list of a resource or event: handlers, subscriptions, hooks, tags. Sites use tens. At
 * 1,000 items, a list takes about 3 ms of the main thread, from parsing to the commit.
 */
export const maxListItems = 1_000;

/** The same for what agents find on their machine, which nobody chooses: processes, network interfaces, addresses. */
export const maxSystemItems = 10_000;

/**
 * Maximum number of metric points in one event. A large exporter has 10,000. At the limit, a frame takes 30 ms of the
 * main thread: measured on an idle core, 1.8 us per point with one tag, in both encodings.
 */
export const maxMetricPoints = 15_000;

/** Maximum number of tags of all metric points in one event, which cost as much as points. */
export const maxMetricTags = 40_000;

/** Maximum length of a cron string, in characters. Listing every value of every field by name takes less than half. */
export const maxCronCharacters = 1_024;

/** Maximum size of the strings one memo holds, in bytes. */
export const maxMemoBytes = 2_097_152;

/** Largest unsigned 32-bit integer: intervals, timeouts, thresholds, statuses of checks. */
export const maxUnsigned32 = 4_294_967_295;

/** Minimum TTL of an event posted by hand, in seconds. Definitions and their results may use a lower value. */
export const minTtlSeconds = 5;

/** Minimum password length, in characters. */
export const minPasswordCharacters = 8;

/** Minimum length of an asset's SHA-512 checksum, in hex digits. */
export const minSha512Characters = 128;

/** Maximum length of the comment of an acknowledgement, of its owner and of a note, in characters. */
export const maxIncidentTextCharacters = 2_000;

/** Maximum number of notes of one incident. */
export const maxIncidentNotes = 50;

/** Shortest and longest time between two reminders of an acknowledged incident, in seconds. */
export const minRemindSeconds = 60;
export const maxRemindSeconds = 2_592_000;

/** Maximum number of targets that a check depends on, and as many that an entity does. */
export const maxDependencies = 16;

/** Maximum number of regular windows of one silence. */
export const maxSilenceWindows = 32;

/** Maximum length of the selector of a silence, in characters. It is evaluated for every event. */
export const maxSilenceSelectorCharacters = 2_000;
