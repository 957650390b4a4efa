// Events between backends of a cluster: what an edge of one takes in for an entity of another travels as JSON, and its outcome comes
// back. The tags of outcomes are the same on both sides, so an edge needs no rules of its own for events that travelled.
import type { Elsewhere, OfferedEvent } from '../../actors/elsewhere.ts';
import type { BusyReason, Outcome, Receipt } from '../../actors/runtime/outcome.ts';
import type { Forwarder } from '../../cluster/forward.ts';
import { doneOutcome, type ForwardOutcome } from '../../cluster/outcome.ts';
import type { ReceivePorts } from '../../cluster/receive.ts';
import { shardOf } from '../../cluster/shards.ts';
import { type ErrorKind, errorCatalogue, MonError } from '../../model/errors.ts';

/** The way out. */
export const forwardEvents = (
  forwarder: Pick<Forwarder, 'tell'>,
  isMine: (shard: number) => boolean,
): Elsewhere => ({
  isHere: (namespace, entity) => isMine(shardOf(namespace, entity)),
  offer(namespace, entity, { type, ...rest }, receipt) {
    const payload = Buffer.from(JSON.stringify(rest));
    forwarder.tell(shardOf(namespace, entity), type, payload, (outcome) => receipt(arrived(outcome)));
  },
});

/** The way in. `take` applies an event here, wherever its entity lives. */
export const takeForwarded =
  (take: (offered: OfferedEvent, receipt: Receipt) => void): ReceivePorts['apply'] =>
  (_shard, type, payload, receipt) => {
    if (!types.some((known) => known === type))
      throw new Error(`this version cannot apply ${JSON.stringify(type)} from another backend`);
    const rest = JSON.parse(Buffer.from(payload).toString()) as Omit<OfferedEvent, 'type'>;
    take({ type, ...rest } as OfferedEvent, (outcome) => receipt(leaving(outcome)));
  };

const types: readonly OfferedEvent['type'][] = ['event', 'keepalive', 'platform', 'written'];

const leaving = (outcome: Outcome): ForwardOutcome => {
  if (outcome.type === 'done') return doneOutcome;
  const { type } = outcome;
  if (type === 'busy') return { type, detail: outcome.why, message: outcome.message };
  if (type === 'poison') return { type, detail: '', message: outcome.message };
  if (type === 'fault') return { type, detail: 'internal', message: outcome.error.message };
  return { type, detail: outcome.error.kind, message: outcome.error.message };
};

const arrived = ({ type, detail, message }: ForwardOutcome): Outcome => {
  if (type === 'done') return { type };
  if (type === 'busy') return { type, why: busyReasons.find((why) => why === detail) ?? 'noActor', message };
  if (type === 'poison') return { type, message };
  if (type === 'fault') return { type, error: new MonError('internal', message) };
  const fallback: ErrorKind = type === 'outage' ? 'unavailable' : 'invalid';
  const kind = Object.hasOwn(errorCatalogue, detail) ? (detail as ErrorKind) : fallback;
  return { type, error: new MonError(kind, message) };
};

const busyReasons: readonly BusyReason[] = ['noActor', 'mailboxFull', 'restarting', 'stopped'];
