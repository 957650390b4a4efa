// The check actor: makes the check machine live. It keeps the record of one entity and check, waits for its TTL, and
// hands its events to the pipelines, one at a time and in order.
import type { CheckContext, CheckEffect, CheckFact, PendingDelivery } from '../../machines/check-facts.ts';
import { checkInput, checkMachine, checkVersion, restoreCheck } from '../../machines/check-machine.ts';
import { checkKey } from '../../model/names.ts';
import type { StoredRecord } from '../../store/snapshot-store.ts';
import { durableOrigin, type SetAside } from '../commit/durable-origin.ts';
import type { GroupCommit } from '../commit/group-commit.ts';
import { orBeginAgain } from '../commit/or-begin-again.ts';
import { recordBody } from '../commit/records.ts';
import type { Behaviour, LiveActor } from '../runtime/contract.ts';
import { maxCheckMail } from '../runtime/limits.ts';
import { contextOf } from '../runtime/snapshot.ts';

export interface CheckWorld {
  readonly commit: Pick<GroupCommit, 'put' | 'delete' | 'latest'>;
  readonly setAside: SetAside;
  readonly nowMs: () => number;
  /**
   * Whether nobody is told of an event because built-in filters deny it; then the check is told at once that it is done, and
   * notes so in the write under way.
   */
  readonly denied: (source: LiveActor, delivery: PendingDelivery) => boolean;
  /** Runs the pipelines for one event, then calls back. Delivers at least once, never throws. */
  readonly deliver: (source: LiveActor, delivery: PendingDelivery) => void;
  /** Deliveries of a check were given up, because too many or too large ones waited: so many since it exists. */
  readonly dropped: (key: string, total: number) => void;
  readonly endSilences: (namespace: string, names: readonly string[]) => void;
  /** Completes what only the rest of the world knows about a TTL that ran out. */
  readonly circumstances: (context: CheckContext) => {
    readonly entityDown: boolean;
    readonly silenced: readonly string[];
    readonly untold?: unknown;
  };
}

export interface CheckIdentity {
  readonly namespace: string;
  readonly entity: string;
  readonly check: string;
}

/** `record` is the durable state of an earlier life; without one the check is new. */
export const checkBehaviour = (
  identity: CheckIdentity,
  world: CheckWorld,
  record?: StoredRecord,
): Behaviour<CheckEffect> => {
  const key = checkKey(identity.namespace, identity.entity, identity.check);
  const seen: Seen = { dropped: 0 };
  return {
    machine: checkMachine,
    mailbox: { capacity: maxCheckMail, overflow: 'refuse' },
    begin: durableOrigin({
      kind: 'check',
      key,
      commit: world.commit,
      record,
      restore: (state, version) => {
        const snapshot = restoreCheck(state, version);
        seen.dropped = contextOf<CheckContext>(snapshot).droppedDeliveries;
        return snapshot;
      },
      input: checkInput(identity),
      setAside: world.setAside,
    }),
    firstMessage: (origin) =>
      'snapshot' in origin
        ? ({ type: 'check.resumed', nowMs: world.nowMs() } satisfies CheckFact)
        : undefined,
    onDeadline: (name, nowMs, actor) =>
      name === 'ttl'
        ? ({
            type: 'deadline.reached',
            name,
            nowMs,
            ...world.circumstances(contextOf<CheckContext>(actor.snapshot())),
          } satisfies CheckFact)
        : undefined,
    perform: (effect, actor) => {
      if (effect.type === 'persist') noteDropped(actor, key, world, seen);
      perform(effect, actor, key, world);
    },
  };
};

/** What is remembered across the lives of the actor. */
interface Seen {
  dropped: number;
}

const noteDropped = (actor: LiveActor, key: string, world: CheckWorld, seen: Seen): void => {
  const { droppedDeliveries } = contextOf<CheckContext>(actor.snapshot());
  if (droppedDeliveries > seen.dropped) world.dropped(key, droppedDeliveries);
  seen.dropped = droppedDeliveries;
};

const perform = (effect: CheckEffect, actor: LiveActor, key: string, world: CheckWorld): void => {
  switch (effect.type) {
    case 'persist':
      return persist(actor, key, world, actor.holdReceipt());
    case 'deadline.set':
      // Measures the silence of those who report: a backend that slept itself must not hold that against them.
      return actor.setDeadline(effect.name, effect.atMs, { forgiving: true });
    case 'deadline.clear':
      return actor.clearDeadline(effect.name);
    case 'deliver': {
      const delivery = { seq: effect.seq, event: effect.event };
      if (world.denied(actor, delivery)) return;
      // Told to people only once it is durable. The write is the same one the acknowledgement waits for. A store
      // that cannot write must not keep an alert from going out, so the outcome does not matter here.
      // One that the store can never take is different: its sender is told so, and nobody else hears of it.
      return persist(actor, key, world, ({ type }) => {
        if (type !== 'invalid') world.deliver(actor, delivery);
      });
    }
    case 'silences.resolve':
      return world.endSilences(contextOf<CheckContext>(actor.snapshot()).namespace, effect.names);
    case 'forget':
      return world.commit.delete('check', key, actor.holdReceipt());
  }
};

const persist = (
  actor: LiveActor,
  key: string,
  world: CheckWorld,
  settle: ReturnType<LiveActor['holdReceipt']>,
): void => {
  const snapshot = actor.snapshot();
  world.commit.put(
    'check',
    key,
    () => {
      const { ttlAtMs } = contextOf<CheckContext>(snapshot);
      const deadlines = ttlAtMs === null ? [] : [{ name: 'ttl', atMs: ttlAtMs }];
      return recordBody('check', checkVersion, snapshot, deadlines);
    },
    orBeginAgain(actor, settle),
  );
};
