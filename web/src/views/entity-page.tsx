// One entity: its events, its statechart with the keepalive deadline, what the agent reported of its machine.

import { entityActor } from '../lib/actor-id.ts';
import { encode, getJson, inNamespace, send } from '../lib/api.ts';
import { keyOf } from '../lib/event-key.ts';
import { firstLine, severityRank } from '../lib/format.ts';
import { usePolled } from '../lib/live.ts';
import { attempt } from '../lib/notices.ts';
import { type Entity, eventPath, type MonEvent } from '../lib/resources.ts';
import { go, href } from '../lib/router.ts';
import { Ago, Empty, Facts, Json, Panel, Problem } from '../parts/bits.tsx';
import { HistoryStrip, StatusWord } from '../parts/status.tsx';
import { ActorPanel } from './actor-panel.tsx';

export const EntityPage = ({ namespace, name }: { namespace: string; name: string }) => {
  const path = inNamespace(namespace, `entities/${encode(name)}`);
  const eventsPath = inNamespace(namespace, `events/${encode(name)}`);
  const entity = usePolled<Entity>(path, 3_000, () => getJson(path));
  const events = usePolled<MonEvent[]>(eventsPath, 3_000, () => getJson(eventsPath));
  const ordered = [...(events.data ?? [])].sort(
    (a, b) => severityRank(b.check.status) - severityRank(a.check.status),
  );
  const remove = async (): Promise<void> => {
    if (
      !confirm(`Delete ${name} with all its events? A connected agent registers again at its next keepalive.`)
    )
      return;
    if (await attempt(`Deleted ${name}`, () => send('DELETE', path))) go(`/n/${encode(namespace)}/entities`);
  };
  const found = entity.data;
  return (
    <>
      <header class="page-head">
        <div>
          <p class="crumbs">
            <a href={href(`/n/${encode(namespace)}/entities`)}>Entities</a>
          </p>
          <h1>{name}</h1>
        </div>
        <button type="button" class="danger" onClick={remove}>
          Delete…
        </button>
      </header>
      {entity.error !== undefined && <Problem text={entity.error} again={entity.again} />}
      <Panel title="Events" class="flush">
        {ordered.length === 0 && <Empty>No events.</Empty>}
        <ul class="events">
          {ordered.map((event) => (
            <li key={keyOf(event)}>
              <StatusWord status={event.check.status} />
              <a class="what" href={href(eventPath(namespace, event))}>
                <b>{event.check.metadata.name}</b>
              </a>
              <span class="output">{firstLine(event.check.output)}</span>
              <HistoryStrip history={event.check.history ?? []} />
              <Ago at={event.check.executed || event.timestamp} />
            </li>
          ))}
        </ul>
      </Panel>
      <Panel title="Statechart" class="flush">
        <ActorPanel id={entityActor(namespace, name)} compact />
      </Panel>
      {found !== undefined && (
        <div class="columns">
          <Panel title="Entity">
            <Facts
              rows={[
                ['class', found.entity_class],
                ['last seen', <Ago key="seen" at={found.last_seen} />],
                ['subscriptions', (found.subscriptions ?? []).join(', ') || 'none'],
                ['agent', found.mon_agent_version || 'none'],
                ['deregisters', found.deregister === true ? 'yes' : 'no'],
                ...Object.entries(found.metadata.labels ?? {}).map(([label, value]): [string, string] => [
                  `label ${label}`,
                  value,
                ]),
              ]}
            />
          </Panel>
          <Panel title="System">
            <Json value={found.system ?? {}} />
          </Panel>
        </div>
      )}
    </>
  );
};
