// Everything that is watched, with what each one's events add up to.
import { useSignal } from '@preact/signals';
import type { EventListPage } from '../../../src/http/inspect/events/protocol.ts';
import { encode, getJson, getPage, inNamespace } from '../lib/api.ts';
import { eventsPath } from '../lib/event-feed.ts';
import { plural, severityRank } from '../lib/format.ts';
import { usePolled } from '../lib/live.ts';
import type { Entity } from '../lib/resources.ts';
import { href, query, setQuery } from '../lib/router.ts';
import { useTitle } from '../lib/title.ts';
import { Ago, Chip, Empty, Problem } from '../parts/bits.tsx';
import { SearchBox } from '../parts/search-box.tsx';
import { StatusIcon } from '../parts/status.tsx';

const pageSize = 200;

const selectorOf = (cls: string, search: string): string | undefined => {
  const parts = [
    cls !== '' && `entity.entity_class == ${JSON.stringify(cls)}`,
    search !== '' && `entity.name matches ${JSON.stringify(search)}`,
  ];
  return parts.filter(Boolean).join(' && ') || undefined;
};

export const EntitiesPage = ({ namespace }: { namespace: string }) => {
  const cls = query.value.get('class') ?? '';
  const search = query.value.get('search') ?? '';
  const pages = useSignal(1);
  const entities = usePolled(`entities/${namespace}/${cls}/${search}/${pages.value}`, 4_000, () =>
    getPage<Entity>(inNamespace(namespace, 'entities'), {
      limit: String(pageSize * pages.value),
      fieldSelector: selectorOf(cls, search),
    }),
  );
  const events = usePolled<EventListPage>(`failing/${namespace}`, 4_000, () =>
    getJson(eventsPath(namespace, { state: 'failing', limit: '1000' })),
  );
  const failing = Map.groupBy(events.data?.items ?? [], (event) => event.entity.metadata.name);
  useTitle('Entities', failing.size);
  const shown = entities.data?.items ?? [];
  const worst = (name: string): number =>
    Math.max(0, ...(failing.get(name) ?? []).map((event) => severityRank(event.check.status)));
  const ordered = [...shown].sort((a, b) => worst(b.metadata.name) - worst(a.metadata.name));
  return (
    <>
      <header class="page-head">
        <h1>Entities</h1>
        <span class="dim">
          {entities.data !== undefined &&
            `${plural(shown.length, 'entity', 'entities')}${entities.data.next === undefined ? '' : ' and more'}`}
        </span>
      </header>
      <div class="filters">
        <div class="chips">
          {['', 'agent', 'proxy'].map((name) => (
            <Chip key={name} on={cls === name} onClick={() => setQuery({ class: name })}>
              {name || 'every class'}
            </Chip>
          ))}
        </div>
        <SearchBox
          value={search}
          placeholder="Search entities"
          onChange={(text) => setQuery({ search: text })}
        />
      </div>
      {entities.error !== undefined && <Problem text={entities.error} again={entities.again} />}
      {entities.data !== undefined && shown.length === 0 && <Empty>No entity fits.</Empty>}
      <ul class="events entities">
        {ordered.map((entity) => {
          const name = entity.metadata.name;
          const bad = failing.get(name) ?? [];
          const top = [...bad].sort((a, b) => severityRank(b.check.status) - severityRank(a.check.status))[0];
          return (
            <li key={name}>
              <StatusIcon status={top?.check.status ?? 0} />
              <a class="what" href={href(`/n/${encode(namespace)}/entities/${encode(name)}`)}>
                <b>{name}</b>
                <span>{entity.entity_class}</span>
              </a>
              <span class="output">
                {bad.length === 0 ? 'all passing' : bad.map((event) => event.check.metadata.name).join(', ')}
              </span>
              <span class="tags">
                {(entity.subscriptions ?? [])
                  .filter((one) => !one.startsWith('entity:'))
                  .slice(0, 4)
                  .map((one) => (
                    <span key={one} class="tag">
                      {one}
                    </span>
                  ))}
              </span>
              {entity.last_seen > 0 ? <Ago at={entity.last_seen} /> : <time class="dim">no agent</time>}
            </li>
          );
        })}
      </ul>
      {entities.data?.next !== undefined && (
        <button
          type="button"
          onClick={() => {
            pages.value += 1;
          }}
        >
          Show {pageSize} more
        </button>
      )}
    </>
  );
};
