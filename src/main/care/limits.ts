// Every limit of this folder, each with its unit in its name.

/** Connections the control socket takes at once. */
export const maxControlConnections = 16;

/** Lines of an answer go out together, in so many bytes. */
export const controlChunkBytes = 64 * 1024;

/** A command that reads nothing for so long is cut off. */
export const controlStallMs = 60_000;

/** How long a backend may take to say that it is there. */
export const controlReachMs = 5_000;

/** A backend that says nothing for so long in the middle of a command is given up. */
export const controlIdleMs = 120_000;

/** How often progress is shown on a terminal. */
export const progressMs = 250;

/** Records an upgrade writes anew at a time. */
export const upgradeBatch = 256;
