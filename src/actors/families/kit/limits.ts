// Limits of the actor families, each with its unit.

/** Messages one actor keeps before its overflow rule applies; see the rows of the families. */
export const maxCheckMail = 1_024;
export const maxEntityMail = 1_024;
export const maxClientMail = 1_024;
export const maxCircuitMail = 1_024;
export const maxSessionMail = 256;
export const maxScheduleMail = 64;
export const maxSilenceMail = 64;
export const maxBootMail = 64;

/** Supervisors the entities are spread over by a hash of their key: a fault that many share stays in one of them. */
export const entityPartitions = 64;
/** How long the end of a silence that the store did not take waits for another try. */
export const endAgainMs = 5_000;
/** How long a note to an actor whose mailbox is full waits before it is sent again. */
export const noteAgainMs = 200;
/** Actors started in one go while the tree is rebuilt at boot, before the loop turns. */
export const rebuildBatch = 500;
/** How late the counts of what silences held back are written. */
export const silenceFiguresMs = 5_000;
/** Silences of one namespace that ended and are still told of: the last ones. */
export const keptEndedSilences = 100;
export const maxJobMail = 64;
