// The resources the page reads, as far as it reads them, and what it does to them over the public API.

import type { EventRow, Rerun } from '../../../src/http/inspect/events/protocol.ts';
import { encode, getJson, inNamespace, send } from './api.ts';
import type { NamedEvent } from './event-key.ts';

export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>> | null;
  readonly annotations?: Readonly<Record<string, string>> | null;
}

export interface Entity {
  readonly metadata: Metadata;
  readonly entity_class: string;
  readonly subscriptions: readonly string[] | null;
  readonly last_seen: number;
  readonly mon_agent_version?: string;
  readonly deregister?: boolean;
  readonly system?: EntitySystem;
}

export interface EntitySystem {
  readonly hostname?: string;
  readonly os?: string;
  readonly platform?: string;
  readonly platform_version?: string;
  readonly arch?: string;
  readonly vm_system?: string;
  readonly cloud_provider?: string;
  readonly network?: {
    readonly interfaces?:
      | readonly { readonly name: string; readonly addresses?: readonly string[] | null }[]
      | null;
  };
}

export interface EventCheck {
  readonly metadata: Metadata;
  readonly status: number;
  readonly state?: string;
  readonly output: string;
  readonly command?: string;
  readonly interval: number;
  readonly cron?: string;
  readonly ttl: number;
  readonly timeout?: number;
  readonly executed: number;
  readonly issued: number;
  readonly duration?: number;
  readonly last_ok: number;
  readonly occurrences: number;
  readonly occurrences_watermark: number;
  readonly total_state_change: number;
  readonly history: readonly { readonly status: number; readonly executed: number }[] | null;
  readonly handlers: readonly string[] | null;
  readonly subscriptions: readonly string[] | null;
  readonly silenced?: readonly string[] | null;
  readonly is_silenced?: boolean;
  readonly masked_by?: readonly Mask[] | null;
  readonly depends_on?: readonly string[] | null;
  readonly processed_by?: string;
  readonly acknowledgement?: Acknowledgement | null;
  readonly incident_notes?: readonly IncidentNote[] | null;
  readonly pipelines?: readonly { readonly name: string }[] | null;
}

/** What masks an event, and since when in Unix seconds. */
export interface Mask {
  readonly entity: string;
  readonly check: string;
  readonly severity: string;
  readonly since: number;
}

/** Times are Unix seconds. */
export interface Acknowledgement {
  readonly owner: string;
  readonly by: string;
  readonly comment: string;
  readonly at: number;
  readonly remind_every: number;
  readonly remind_at: number;
  readonly reminders: number;
}

interface IncidentNote {
  readonly by: string;
  readonly at: number;
  readonly text: string;
}

interface MetricPoint {
  readonly name: string;
  readonly value: number;
  readonly tags?: readonly { readonly name: string; readonly value: string }[] | null;
}

export interface MonEvent {
  readonly metrics?: { readonly points?: readonly MetricPoint[] | null } | null;
  readonly id: string | null;
  readonly timestamp: number;
  readonly entity: Entity;
  readonly check: EventCheck;
}

export interface Silence {
  readonly metadata: Metadata;
  readonly check?: string | null;
  readonly subscription?: string | null;
  readonly reason?: string | null;
  readonly creator?: string | null;
  readonly begin: number;
  readonly expire: number;
  readonly expire_at: number;
  readonly expire_on_resolve: boolean;
  readonly selector?: string | null;
  readonly windows?: readonly SilenceWindow[] | null;
}

export interface SilenceWindow {
  readonly days: readonly string[];
  readonly begin: string;
  readonly end: string;
  readonly time_zone: string;
}

interface SilenceFigures {
  readonly silence: Silence;
  /** Notifications that it held back, and the time of the last one in Unix seconds. */
  readonly suppressed: number;
  readonly last_suppressed: number;
}
export interface SilenceStanding extends SilenceFigures {
  readonly phase: 'pending' | 'active';
  readonly covers: number;
}
export interface EndedSilence extends SilenceFigures {
  readonly why: 'timeOver' | 'resolved' | 'cleared';
  readonly by: string;
  readonly at: number;
}
export interface SilenceOverview {
  readonly silences: readonly SilenceStanding[];
  readonly ended: readonly EndedSilence[];
}

export const isSilenced = ({
  check,
}: {
  readonly check: Pick<EventCheck, 'silenced' | 'is_silenced'>;
}): boolean => check.is_silenced === true || (check.silenced ?? []).length > 0;

export const eventPath = (namespace: string, event: NamedEvent): string =>
  `/n/${encode(namespace)}/events/${encode(event.entity.metadata.name)}/${encode(event.check.metadata.name)}`;

const eventUrl = (namespace: string, event: NamedEvent): string =>
  inNamespace(namespace, `events/${encode(event.entity.metadata.name)}/${encode(event.check.metadata.name)}`);

/** Says it is well again, by hand; the pipelines hear of it as of any result. */
export const resolveEvent = async (namespace: string, named: NamedEvent, by: string): Promise<unknown> => {
  // A list holds only what it shows.
  const { id: _id, ...event } = await getJson<MonEvent>(eventUrl(namespace, named));
  const executed = Math.floor(Date.now() / 1000);
  const check = { ...event.check, status: 0, output: `Resolved manually by ${by}`, executed, ttl: 0 };
  return send('PUT', eventUrl(namespace, named), { ...event, timestamp: executed, check });
};

export const deleteEvent = (namespace: string, event: NamedEvent): Promise<unknown> =>
  send('DELETE', eventUrl(namespace, event));

export interface AcknowledgementOrder {
  readonly owner: string;
  readonly comment: string;
  /** Seconds; 0: no reminders. */
  readonly remind_every: number;
}

export const acknowledge = (
  namespace: string,
  event: NamedEvent,
  order: AcknowledgementOrder,
): Promise<unknown> => send('PUT', `${eventUrl(namespace, event)}/acknowledgement`, order);

export const release = (namespace: string, event: NamedEvent): Promise<unknown> =>
  send('DELETE', `${eventUrl(namespace, event)}/acknowledgement`);

export const addNote = (namespace: string, event: NamedEvent, text: string): Promise<unknown> =>
  send('POST', `${eventUrl(namespace, event)}/notes`, { text });

export const isRunnable = ({ rerun: how }: Pick<EventRow, 'rerun'>): boolean =>
  how === 'agent' || how === 'proxy';

const whyNot: Readonly<Record<Rerun, string>> = {
  agent: '',
  proxy: '',
  noCheck: 'no check of this name is set up for it; the result came from elsewhere.',
  noAgent: 'no agent that would run it is connected.',
};
export const whyNotRun = ({ rerun: how }: Pick<EventRow, 'rerun'>): string => whyNot[how];

/** Runs the check again on this entity only. */
export const rerun = (
  namespace: string,
  { entity, check, rerun: how }: NamedEvent & Pick<EventRow, 'rerun'>,
): Promise<unknown> =>
  send('POST', inNamespace(namespace, `checks/${encode(check.metadata.name)}/execute`), {
    check: check.metadata.name,
    // The agents of a check for a proxy entity are those of its own subscriptions.
    ...(how === 'proxy' ? {} : { subscriptions: [`entity:${entity.metadata.name}`] }),
  });

export interface SilenceOrder {
  readonly subscription: string;
  readonly check: string;
  readonly reason: string;
  /** Seconds; -1 for no end. */
  readonly expire: number;
  readonly expireOnResolve: boolean;
  /** Of a silence with a selector. */
  readonly name?: string;
  readonly selector?: string;
  /** Unix seconds. */
  readonly begin?: number;
  readonly expireAt?: number;
  readonly windows?: readonly SilenceWindow[];
}

const silenceBody = (namespace: string, order: SilenceOrder): object => ({
  metadata: { name: order.name || `${order.subscription || '*'}:${order.check || '*'}`, namespace },
  ...(order.subscription === '' ? {} : { subscription: order.subscription }),
  ...(order.check === '' ? {} : { check: order.check }),
  ...(order.selector ? { selector: order.selector } : {}),
  ...(order.windows && order.windows.length > 0 ? { windows: order.windows } : {}),
  ...(order.begin === undefined ? {} : { begin: order.begin }),
  ...(order.expireAt === undefined ? {} : { expire_at: order.expireAt }),
  reason: order.reason,
  expire: order.expire,
  expire_on_resolve: order.expireOnResolve,
});

/** Puts a changed silence in the place of the one of this name. */
export const replaceSilence = (namespace: string, name: string, order: SilenceOrder): Promise<unknown> =>
  send('PUT', inNamespace(namespace, `silenced/${encode(name)}`), silenceBody(namespace, { ...order, name }));

/** Lets it last longer. One without an end stays as it is. */
export const extendSilence = async (namespace: string, name: string, seconds: number): Promise<unknown> => {
  const path = inNamespace(namespace, `silenced/${encode(name)}`);
  const silence = await getJson<Silence>(path);
  if (silence.expire_at === 0) return undefined;
  return send('PUT', path, { ...silence, expire_at: silence.expire_at + seconds });
};

export const createSilence = (namespace: string, order: SilenceOrder): Promise<unknown> =>
  send('POST', inNamespace(namespace, 'silenced'), silenceBody(namespace, order));

export const deleteSilence = (namespace: string, name: string): Promise<unknown> =>
  send('DELETE', inNamespace(namespace, `silenced/${encode(name)}`));

const dependsOnKey = 'mon.io/depends_on';

const written = ({ labels, annotations }: Metadata): readonly string[] =>
  (labels?.[dependsOnKey] ?? annotations?.[dependsOnKey] ?? '').split(/[\s,]+/).filter((one) => one !== '');

/** What an event depends on by its check or its entity, each as `entity/check`. */
export const targetsNamed = ({ entity, check }: MonEvent): readonly string[] => {
  const { name } = entity.metadata;
  const named = (target: string): string => {
    if (target.startsWith('entity:')) return `${target.slice('entity:'.length)}/keepalive`;
    return target.includes('/') ? target : `${name}/${target}`;
  };
  const all = [...(check.depends_on ?? []), ...written(check.metadata), ...written(entity.metadata)].map(
    named,
  );
  return [...new Set(all)].filter((target) => target !== `${name}/${check.metadata.name}`);
};
