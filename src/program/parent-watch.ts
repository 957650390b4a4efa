// A program started with a channel to the one who started it (as `npm start` starts its own) ends when that one is gone, by
// whatever way it went: nothing is left running that nobody remembers. Started any other way, it has no channel.

/** Asks this process to stop, as SIGTERM would, when the channel to its parent closes. */
export const stopWithParent = (target: NodeJS.Process = process): void => {
  if (target.channel === undefined) return;
  target.once('disconnect', () => target.kill(target.pid, 'SIGTERM'));
  // Listening must not keep a process alive that has nothing else to do.
  target.channel?.unref();
};
