// Stops a program when its parent exits, so that no orphans keep running. Works if it was started with an IPC
// channel (as by `npm start`); otherwise it does nothing.

/** Stops this process as SIGTERM would when the IPC channel to its parent closes. */
export const stopWithParent = (target: NodeJS.Process = process): void => {
  if (target.channel === undefined) return;
  target.once('disconnect', () => target.kill(target.pid, 'SIGTERM'));
  // The listener must not keep an otherwise idle process alive.
  target.channel?.unref();
};
