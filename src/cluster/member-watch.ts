// Which members are silent. Wall clocks are never compared: a member is silent once its beat did not move for the patience
// period of this observer's own monotonic time. Only time that was observed counts: a step between two reads counts for at
// most `maxStepMs`, so neither an outage of the store nor a pause of this process is silence of others.
import type { ClusterMember } from './lease-store.ts';

export interface WatchTimes {
  readonly patienceMs: number;
  readonly maxStepMs: number;
}

interface Seen {
  readonly member: ClusterMember;
  readonly silentMs: number;
}

export interface MemberWatch {
  /** A read of the members that was answered at `nowMs`. */
  observe(members: readonly ClusterMember[], nowMs: number): void;
  /** Members that are to be declared dead. */
  silent(): readonly ClusterMember[];
  /** How long the beat of a member, or its death, has been the same in milliseconds; 0 if it is unknown. */
  unchangedMs(incarnation: string): number;
}

export const createMemberWatch = ({ patienceMs, maxStepMs }: WatchTimes): MemberWatch => {
  let seen: ReadonlyMap<string, Seen> = new Map();
  let lastMs: number | undefined;
  return {
    observe(members, nowMs) {
      const stepMs = lastMs === undefined ? 0 : Math.min(nowMs - lastMs, maxStepMs);
      lastMs = nowMs;
      const next = new Map<string, Seen>();
      for (const member of members) {
        const before = seen.get(member.incarnation);
        const isSame = before?.member.beat === member.beat && before.member.state === member.state;
        next.set(member.incarnation, { member, silentMs: isSame ? before.silentMs + stepMs : 0 });
      }
      seen = next;
    },
    silent: () =>
      [...seen.values()]
        .filter(({ member, silentMs }) => member.state !== 'dead' && silentMs >= patienceMs)
        .map(({ member }) => member),
    unchangedMs: (incarnation) => seen.get(incarnation)?.silentMs ?? 0,
  };
};
