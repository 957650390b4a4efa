// The check actor: makes the check machine live. It keeps the record of one entity and check, waits for its TTL, and
// hands its events to the pipelines, one at a time and in order.
import type {
  CheckContext,
  CheckEffect,
  CheckFact,
  PendingDelivery,
} from '../../../machines/check/check-facts.ts';
import {
  checkInput,
  checkMachine,
  checkVersion,
  restoreCheck,
} from '../../../machines/check/check-machine.ts';
import { checkKey } from '../../../model/names.ts';
import type { StoredRecord } from '../../../store/snapshot-store.ts';
import type { GroupCommit } from '../../durable/group-commit.ts';
import { orBeginAgain } from '../../durable/or-begin-again.ts';
import { durableOrigin, type SetAside } from '../../durable/origin.ts';
import { recordBody } from '../../durable/records.ts';
import type { Behaviour, LiveActor } from '../../runtime/contract.ts';
import { maxCheckMail } from '../../runtime/limits.ts';
import { contextOf } from '../../runtime/snapshot.ts';

export interface CheckPorts {
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
  /** These silences cover nothing from now on; whether they end for good is said once the incident's end is durable. */
  readonly liftSilences: (namespace: string, names: readonly string[]) => void;
  /** Ends silences for good and tells the check once that is durable. Never throws. */
  readonly endSilences: (source: LiveActor, namespace: string, names: readonly string[]) => void;
  /** The end of the incident could not be kept: silences that were lifted cover events again. */
  readonly restoreSilences: (namespace: string, names: readonly string[]) => void;
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
  ports: CheckPorts,
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
      commit: ports.commit,
      record,
      restore: (state, version) => {
        const snapshot = restoreCheck(state, version);
        seen.dropped = contextOf<CheckContext>(snapshot).droppedDeliveries;
        return snapshot;
      },
      input: checkInput(identity),
      setAside: ports.setAside,
    }),
    firstMessage: (origin) =>
      'snapshot' in origin
        ? ({ type: 'check.resumed', nowMs: ports.nowMs() } satisfies CheckFact)
        : undefined,
    onDeadline: (name, nowMs, actor) =>
      name === 'ttl'
        ? ({
            type: 'deadline.reached',
            name,
            nowMs,
            ...ports.circumstances(contextOf<CheckContext>(actor.snapshot())),
          } satisfies CheckFact)
        : undefined,
    perform: (effect, actor) => {
      if (effect.type === 'persist') noteDropped(actor, key, ports, seen);
      perform(effect, actor, key, ports);
    },
  };
};

/** What is remembered across the lives of the actor. */
interface Seen {
  dropped: number;
}

const noteDropped = (actor: LiveActor, key: string, ports: CheckPorts, seen: Seen): void => {
  const { droppedDeliveries } = contextOf<CheckContext>(actor.snapshot());
  if (droppedDeliveries > seen.dropped) ports.dropped(key, droppedDeliveries);
  seen.dropped = droppedDeliveries;
};

const perform = (effect: CheckEffect, actor: LiveActor, key: string, ports: CheckPorts): void => {
  switch (effect.type) {
    case 'persist':
      return persist(actor, key, ports, actor.holdReceipt());
    case 'deadline.set':
      // Measures the silence of those who report: a backend that slept itself must not hold that against them.
      return actor.setDeadline(effect.name, effect.atMs, { forgiving: true });
    case 'deadline.clear':
      return actor.clearDeadline(effect.name);
    case 'deliver': {
      const delivery = { seq: effect.seq, event: effect.event };
      if (ports.denied(actor, delivery)) return;
      // Told to people only once it is durable. The write is the same one the acknowledgement waits for. A store
      // that cannot write must not keep an alert from going out, so the outcome does not matter here.
      // One that the store can never take is different: its sender is told so, and nobody else hears of it.
      return persist(actor, key, ports, ({ type }) => {
        if (type !== 'invalid') ports.deliver(actor, delivery);
      });
    }
    case 'silences.resolve': {
      const { names } = effect;
      const { namespace } = contextOf<CheckContext>(actor.snapshot());
      ports.liftSilences(namespace, names);
      // Only once it is durable that the incident is over: a crash before that must find the silence in place.
      return persist(actor, key, ports, ({ type }) => {
        if (type === 'invalid') ports.restoreSilences(namespace, names);
        else ports.endSilences(actor, namespace, names);
      });
    }
    case 'forget':
      return ports.commit.delete('check', key, actor.holdReceipt());
  }
};

const persist = (
  actor: LiveActor,
  key: string,
  ports: CheckPorts,
  settle: ReturnType<LiveActor['holdReceipt']>,
): void => {
  const snapshot = actor.snapshot();
  ports.commit.put(
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
