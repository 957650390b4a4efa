// The figures both ends of the agent conversation keep to. Units are in the names.

/** Largest WebSocket message either end accepts, frame header included. */
export const maxPayloadBytes = 1_048_576;
/** Most fragments one WebSocket message may come in. */
export const maxFragments = 1_024;
/** Most chunks the WebSocket library may hold back while it waits for the rest of a frame. */
export const maxBufferedChunks = 4_096;
/** The message type stands before the first newline; anything longer is no frame of ours. */
export const maxFrameTypeBytes = 64;
/**
 * Most events an agent may have under way without an acknowledgement. The backend remembers the ids of the last 32
 * events of each check, so what is sent again after a reconnect is always recognised.
 */
export const maxUnackedEvents = 32;
/** Most ids one `ack` frame names. */
export const maxAckIds = 1_024;
/** Longest text of one refusal in an `ack` frame, in characters. */
export const maxRefusalCharacters = 512;
