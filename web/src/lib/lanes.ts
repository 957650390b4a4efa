// Who sent what to whom, told from the transitions of some actors: each event came from somebody, and each effect went to
// somebody. Actors have lanes of their own; what lies outside of them (agents and people, the clock, the pipelines, the
// store) has one lane each. Pure.
import type { Frame } from '../../../src/http/inspect/protocol.ts';
import { stateWords } from '../../../src/http/inspect/state-value.ts';

type Outside = 'agents, API' | 'clock' | 'pipelines' | 'store';

export interface Message {
  /** Messages of one row went out together. */
  readonly row: number;
  /** Of the transition it belongs to. */
  readonly seq: number;
  readonly atMs: number;
  readonly kind: 'event' | 'effect';
  /** Lanes; the same one twice where an actor tells itself. */
  readonly from: string;
  readonly to: string;
  readonly label: string;
  /** What the receiver then is, where it moved. */
  readonly moved: string;
}

export interface Sequence {
  /** Left to right. */
  readonly lanes: readonly string[];
  /** Oldest first. */
  readonly messages: readonly Message[];
}

const before: readonly Outside[] = ['agents, API', 'clock'];
const behind: readonly Outside[] = ['pipelines', 'store'];

/** `actors` in the order of their lanes; frames of others are passed over, and who says nothing gets no lane. */
export const sequenceOf = (actors: readonly string[], frames: readonly Frame[]): Sequence => {
  const known = new Set(actors);
  const messages: Message[] = [];
  const ordered = frames.filter(({ actor }) => known.has(actor)).sort((a, b) => a.seq - b.seq);
  for (const frame of ordered) messages.push(...messagesOf(frame, known, (messages.at(-1)?.row ?? -1) + 1));
  const used = new Set(messages.flatMap(({ from, to }) => [from, to]));
  return { lanes: [...before, ...actors, ...behind].filter((lane) => used.has(lane)), messages };
};

/** One row for what came, the next for all that went out. */
const messagesOf = (frame: Frame, actors: ReadonlySet<string>, row: number): readonly Message[] => {
  const { seq, atMs, actor, effects } = frame;
  const label = typeOf(frame.event);
  const event: Message = {
    row,
    seq,
    atMs,
    kind: 'event',
    from: senderOf(actor, label, actors),
    to: actor,
    label,
    moved: movedTo(frame),
  };
  const byReceiver = new Map<string | undefined, string[]>();
  for (const effect of effects) {
    const to = receiverOf(actor, effect, actors);
    byReceiver.set(to, [...(byReceiver.get(to) ?? []), effect]);
  }
  const out = [...byReceiver].flatMap(([to, sent]): Message[] =>
    to === undefined
      ? []
      : [
          {
            row: row + 1,
            seq,
            atMs,
            kind: 'effect',
            from: actor,
            to,
            label: [...new Set(sent)].join(', '),
            moved: '',
          },
        ],
  );
  return [event, ...out];
};

const typeOf = (event: Frame['event']): string => {
  const type = typeof event === 'object' && event !== null && 'type' in event ? event.type : event;
  return String(type);
};

const movedTo = ({ from, to }: Frame): string => {
  const known = new Set(stateWords(from));
  return stateWords(to)
    .filter((word) => !known.has(word))
    .join(', ');
};

const senders: readonly (readonly [RegExp, Outside])[] = [
  [/^deadline\./, 'clock'],
  [/^(delivery|call|probe)\./, 'pipelines'],
  [/\.resumed$/, 'store'],
];

/** A keepalive is made into a result by its entity; a schedule tells itself what it has issued. */
const senderOf = (actor: string, event: string, actors: ReadonlySet<string>): string => {
  if (event === 'request.issued') return actor;
  const entity = keepaliveOf(actor);
  if (event === 'result.received' && entity !== undefined && actors.has(entity)) return entity;
  return senders.find(([pattern]) => pattern.test(event))?.[1] ?? 'agents, API';
};

const receivers: readonly (readonly [RegExp, Outside])[] = [
  [/^(persist|forget|keep)$/, 'store'],
  [/^(deliver|announce)$/, 'pipelines'],
  [/^deadline\./, 'clock'],
  [/^(request\.issue|config\.changed|drain\.begin)$/, 'agents, API'],
];

const receiverOf = (actor: string, effect: string, actors: ReadonlySet<string>): string | undefined => {
  if (effect === 'publish') return [...actors].find((one) => keepaliveOf(one) === actor);
  return receivers.find(([pattern]) => pattern.test(effect))?.[1];
};

/** `check:default/web-01/keepalive` is told by `entity:default/web-01`. */
const keepaliveOf = (actor: string): string | undefined => {
  const found = /^check:(.+)\/keepalive$/.exec(actor)?.[1];
  return found === undefined ? undefined : `entity:${found}`;
};

export interface Wanted {
  readonly prefix: string;
  /** Whether the prefix is the whole id. */
  readonly isWhole: boolean;
}

/** The actors one actor talks with, by what their ids have in common: an entity, its checks, its session, a check's schedule. */
export const wantedBeside = (id: string): readonly Wanted[] => {
  const [family, ...rest] = id.split(':');
  const [namespace = '', second = '', third] = rest.join(':').split('/');
  const name = family === 'session' ? second.replace(/#\d+$/, '') : second;
  const session = { prefix: `session:${namespace}/${name}#`, isWhole: false };
  const entity = { prefix: `entity:${namespace}/${name}`, isWhole: true };
  const checks = { prefix: `check:${namespace}/${name}/`, isWhole: false };
  const own = { prefix: id, isWhole: true };
  switch (family) {
    case 'check':
      return [session, { prefix: `schedule:${namespace}/${third ?? ''}`, isWhole: true }, entity, own];
    case 'entity':
    case 'session':
      return [session, entity, checks];
    default:
      return [own];
  }
};
