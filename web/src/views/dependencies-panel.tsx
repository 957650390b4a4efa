// What an event depends on, what masks it now, and what depends on it.
import type { EventListPage } from '../../../src/http/inspect/events/protocol.ts';
import { encode, getJson } from '../lib/api.ts';
import { now } from '../lib/clock.ts';
import { eventsPath } from '../lib/event-feed.ts';
import { duration, plural } from '../lib/format.ts';
import { usePolled } from '../lib/live.ts';
import { type Mask, type MonEvent, targetsNamed } from '../lib/resources.ts';
import { href } from '../lib/router.ts';
import { Panel } from '../parts/bits.tsx';
import { StatusIcon } from '../parts/status.tsx';

interface Props {
  readonly namespace: string;
  readonly event: MonEvent;
}

const everyMs = 5_000;
const shownDependents = 50;

const eventHref = (namespace: string, name: string): string =>
  href(`/n/${encode(namespace)}/events/${name.split('/').map(encode).join('/')}`);

const Target = ({ namespace, name }: { readonly namespace: string; readonly name: string }) => (
  <a href={eventHref(namespace, name)}>
    <bdi>{name}</bdi>
  </a>
);

/** Named with what masks it and for how long. */
export const MaskedTag = ({ namespace, masks }: { namespace: string; masks: readonly Mask[] }) => (
  <span class="tag masked" title="It follows from this failure: handlers are not told of it">
    masked by{' '}
    {masks.map(({ entity, check, severity, since }, index) => (
      <span key={`${entity}/${check}`}>
        {index > 0 && ', '}
        <Target namespace={namespace} name={`${entity}/${check}`} /> ({severity} for{' '}
        {duration(now.value / 1000 - since)})
      </span>
    ))}
  </span>
);

export const DependenciesPanel = ({ namespace, event }: Props) => {
  const name = `${event.entity.metadata.name}/${event.check.metadata.name}`;
  const path = eventsPath(namespace, { depends_on: name, order: 'worst', limit: String(shownDependents) });
  const { data } = usePolled<EventListPage>(path, everyMs, () => getJson(path));
  const targets = targetsNamed(event);
  const total = data?.total ?? 0;
  if (targets.length + total === 0) return null;
  return (
    <Panel title="Dependencies" class="dependencies">
      {targets.length > 0 && (
        <p>
          It depends on{' '}
          {targets.map((target, index) => (
            <span key={target}>
              {index > 0 && ', '}
              <Target namespace={namespace} name={target} />
            </span>
          ))}
          .
        </p>
      )}
      {total > 0 && (
        <>
          <p>
            <b class="num">{total.toLocaleString('en')}</b> {total === 1 ? 'event depends' : 'events depend'}{' '}
            on it.
          </p>
          <ul aria-label="What depends on it">
            {(data?.items ?? []).map(({ entity, check }) => (
              <li key={`${entity.metadata.name}/${check.metadata.name}`}>
                <StatusIcon status={check.status} size={13} />{' '}
                <Target namespace={namespace} name={`${entity.metadata.name}/${check.metadata.name}`} />
                {check.masked_by.length > 0 && <span class="tag masked">masked</span>}
              </li>
            ))}
          </ul>
          {total > shownDependents && <p class="dim">And {plural(total - shownDependents, 'event')} more.</p>}
        </>
      )}
    </Panel>
  );
};
