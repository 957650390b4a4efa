// Limits of what one backend asks of others. Units are in the names.

/** How long the backend where something lives may take for one answer. */
export const homeAnswerMs = 5_000;
/** How long a home is looked for while nobody is it: a shard that moves has none for a moment. */
export const homeSearchMs = 5_000;
/** The pause before a home is looked for again. */
export const homeAgainMs = 50;
/** How long a list waits for the pages of the others. One that is later is named as missing. */
export const gatherMs = 3_000;
/** Items of one slice of a list that is asked for without a limit. */
export const wholeListSlice = 1_000;
/** Questions that change something and whose outcomes are kept, so that one that comes twice is done once. */
export const maxKeptAnswers = 128;
