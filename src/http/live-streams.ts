// Open streams of events and inspection. Access is re-evaluated while a stream is open: it ends with its login, its
// user or its permission. The number per user is limited; above the total limit, the oldest stream of the user with
// the most streams ends.
import type { Resources } from '../actors/resources/resources.ts';
import { MonError } from '../model/errors.ts';
import type { Authenticator } from './auth/authenticator.ts';
import type { Principal } from './auth/principal.ts';
import { watchRules } from './edge/standing.ts';
import { maxStreams, maxStreamsPerUser, msBetweenStreamReviews } from './limits.ts';
import { type AccessRequest, authorize } from './rbac.ts';

export interface LiveStreams {
  /**
   * Throws `tooManyRequests`. `end` is called when the stream must end. Returns a function to call when it has
   * ended.
   */
  open(principal: Principal, access: readonly AccessRequest[], end: () => void): () => void;
  readonly count: number;
  close(): void;
}

interface Stream {
  readonly principal: Principal;
  readonly access: readonly AccessRequest[];
  readonly end: () => void;
}

export const createLiveStreams = (
  table: Resources,
  authenticator: Pick<Authenticator, 'current'>,
): LiveStreams => {
  /** Oldest first. */
  const streams = new Set<Stream>();

  const mayStay = ({ principal, access }: Stream): boolean => {
    const now = authenticator.current(principal);
    return now !== null && access.every((request) => authorize(table, now, request).allow);
  };
  const end = (stream: Stream): void => {
    if (streams.delete(stream)) stream.end();
  };
  const review = (): void => {
    for (const stream of [...streams]) if (!mayStay(stream)) end(stream);
  };
  const stopWatching = watchRules(table, review);
  // A logout changes neither users nor rules, so check periodically.
  const reviews = setInterval(review, msBetweenStreamReviews).unref();

  const ofUser = (username: string): readonly Stream[] =>
    [...streams].filter(({ principal }) => principal.username === username);
  const makeRoom = (): void => {
    if (streams.size < maxStreams) return;
    const users = new Set([...streams].map(({ principal }) => principal.username));
    const [most] = [...users].map(ofUser).sort((left, right) => right.length - left.length);
    if (most?.[0] !== undefined) end(most[0]);
  };

  return {
    get count() {
      return streams.size;
    },
    open(principal, access, endIt) {
      if (ofUser(principal.username).length >= maxStreamsPerUser)
        throw new MonError(
          'tooManyRequests',
          `${principal.username} already has ${maxStreamsPerUser} open streams; close one`,
        );
      makeRoom();
      const stream: Stream = { principal, access, end: endIt };
      streams.add(stream);
      return () => void streams.delete(stream);
    },
    close() {
      stopWatching();
      clearInterval(reviews);
    },
  };
};
