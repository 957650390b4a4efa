// Agents that have fallen silent: what their checks said last is shown as old.
import type { EventListPage } from '../../../src/http/inspect/events/protocol.ts';
import { getJson } from './api.ts';
import { eventsPath } from './event-feed.ts';
import { type NamedEvent, namespaceOf } from './event-key.ts';
import { usePolled } from './live.ts';

const everyMs = 5_000;

const nameOf = (event: NamedEvent): string => `${namespaceOf(event)}/${event.entity.metadata.name}`;

export interface SilentAgents {
  /** Since when, in Unix seconds, nobody knows how the check of an event is; undefined when it is known. */
  since(event: NamedEvent & { readonly timestamp: number }): number | undefined;
}

/** `entity`: of one alone. */
export const useSilentAgents = (namespace: string, entity = ''): SilentAgents => {
  const path = eventsPath(namespace, {
    check: 'keepalive',
    state: 'failing',
    limit: '1000',
    ...(entity === '' ? {} : { entity }),
  });
  const { data } = usePolled<EventListPage>(path, everyMs, () => getJson(path));
  const silent = new Map((data?.items ?? []).map((row) => [nameOf(row), row] as const));
  return {
    since: (event) => {
      const { timestamp, check } = event;
      const keepalive = silent.get(nameOf(event));
      if (keepalive === undefined || check.metadata.name === 'keepalive') return undefined;
      // A result that came since was not brought by the agent, and is as fresh as it says.
      return timestamp <= keepalive.since ? timestamp : undefined;
    },
  };
};
