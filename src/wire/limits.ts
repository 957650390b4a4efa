// Limits of the agent protocol, for both sides. Units are in the names.

/** Maximum size of a WebSocket message, including the frame header. */
export const maxPayloadBytes = 1_048_576;
/** Maximum number of fragments of a WebSocket message. */
export const maxFragments = 1_024;
/** Maximum number of chunks the WebSocket library buffers while waiting for the rest of a frame. */
export const maxBufferedChunks = 4_096;
/** Maximum length of the message type before the first newline. */
export const maxFrameTypeBytes = 64;
/**
 * Maximum number of unacknowledged events per agent. The backend remembers the ids of the last 32 events of each
 * check, so it recognizes every resend after a reconnect.
 */
export const maxUnackedEvents = 32;
/** Maximum number of ids in one `ack` frame. */
export const maxAckIds = 1_024;
/** Maximum length of a rejection reason in an `ack` frame, in characters. */
export const maxRefusalCharacters = 512;
