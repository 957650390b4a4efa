// One entity: how its checks are, whether its agent is alive and connected, its statechart, what is known of its machine.
import { accessTo } from '../lib/access.ts';
import { entityActor } from '../lib/actor-id.ts';
import { encode, getJson, inNamespace, send } from '../lib/api.ts';
import { keyOf } from '../lib/event-key.ts';
import { firstLine, severityRank } from '../lib/format.ts';
import { useShortcuts } from '../lib/keys.ts';
import { usePolled } from '../lib/live.ts';
import { attempt } from '../lib/notices.ts';
import { readOutput } from '../lib/output-text.ts';
import { type Entity, type EntitySystem, eventPath, isSilenced, type MonEvent } from '../lib/resources.ts';
import { go, href } from '../lib/router.ts';
import { useSilentAgents } from '../lib/silent-agents.ts';
import { useTitle } from '../lib/title.ts';
import { Ago, Empty, Facts, Json, NoStatechart, Panel, Problem } from '../parts/bits.tsx';
import { KeepaliveLine } from '../parts/keepalive-line.tsx';
import { SilentBanner } from '../parts/silent-banner.tsx';
import { HistoryStrip, StatusWord } from '../parts/status.tsx';
import { ActorPanel } from './actor-panel.tsx';
import { SessionPanel } from './session-panel.tsx';
import { silenceEntity } from './silence-dialog.tsx';

const everyMs = 3_000;
const usualTimeoutSeconds = 120;

export const EntityPage = ({ namespace, name }: { namespace: string; name: string }) => {
  const path = inNamespace(namespace, `entities/${encode(name)}`);
  const eventsPath = inNamespace(namespace, `events/${encode(name)}`);
  const entity = usePolled<Entity>(path, everyMs, () => getJson(path));
  const events = usePolled<MonEvent[]>(eventsPath, everyMs, () => getJson(eventsPath));
  const ordered = [...(events.data ?? [])].sort(
    (a, b) => severityRank(b.check.status) - severityRank(a.check.status),
  );
  const keepalive = events.data?.find((event) => event.check.metadata.name === 'keepalive');
  const found = entity.data;
  const isAgent = found?.entity_class === 'agent';
  const silence = (): void => silenceEntity(namespace, name, events.again);
  const remove = async (): Promise<void> => {
    const warning = `Delete ${name} with all its events? A connected agent registers again at its next keepalive.`;
    if (!confirm(warning)) return;
    if (await attempt(`Deleted ${name}`, () => send('DELETE', path))) go(`/n/${encode(namespace)}/entities`);
  };
  const access = accessTo(namespace);
  const silent = useSilentAgents(namespace, name);
  const staleOf = (event: MonEvent): number | undefined => silent.since(event);
  const oldest = Math.min(...ordered.flatMap((event) => staleOf(event) ?? []));
  const maySilence = access.may('create', 'silenced');
  useShortcuts(maySilence ? [{ keys: 's', what: 'Silence', run: silence }] : []);
  useTitle(name, events.data?.filter(({ check }) => check.status !== 0).length ?? 0);
  return (
    <>
      <header class="page-head">
        <div>
          <p class="crumbs">
            <a href={href(`/n/${encode(namespace)}/entities`)}>Entities</a>
          </p>
          <h1 tabIndex={-1}>
            {name} {found !== undefined && <span class="tag">{found.entity_class}</span>}
          </h1>
        </div>
        <div class="row">
          {maySilence && (
            <button type="button" onClick={silence} title="s">
              Silence…
            </button>
          )}
          {access.may('delete', 'entities') && (
            <button type="button" class="danger" onClick={remove}>
              Delete…
            </button>
          )}
        </div>
      </header>
      {entity.error !== undefined && <Problem text={entity.error} again={entity.again} />}
      {Number.isFinite(oldest) && <SilentBanner entity={name} since={oldest} />}
      {keepalive !== undefined && (
        <Panel title="Keepalives" aside={<StatusWord status={keepalive.check.status} />}>
          <KeepaliveLine
            check={keepalive.check}
            lastSeen={found?.last_seen ?? 0}
            timeoutSeconds={keepalive.check.timeout || usualTimeoutSeconds}
          />
        </Panel>
      )}
      <Panel title="Events" class="flush">
        {events.data?.length === 0 && <Empty>No events.</Empty>}
        <ul class="events">
          {ordered.map((event) => (
            <li key={keyOf(event)} class={staleOf(event) === undefined ? '' : 'stale'}>
              <StatusWord status={event.check.status} />
              <a class="what" href={href(eventPath(namespace, event))}>
                <b>{event.check.metadata.name}</b>
                {isSilenced(event) && <span class="tag silenced">silenced</span>}
                {staleOf(event) !== undefined && <span class="tag stale">stale</span>}
              </a>
              <span class="output">{firstLine(readOutput(event.check.output).text)}</span>
              <HistoryStrip history={event.check.history ?? []} />
              <Ago at={event.check.executed || event.timestamp} />
            </li>
          ))}
        </ul>
      </Panel>
      {found !== undefined && (
        <div class="columns">
          <Panel title="Entity">
            <Facts rows={entityFacts(found)} />
          </Panel>
          {isAgent && access.may('inspect:get', 'actors') && (
            <SessionPanel namespace={namespace} entity={name} />
          )}
          {isAgent && (
            <Panel title="System">
              <SystemFacts system={found.system ?? {}} />
            </Panel>
          )}
        </div>
      )}
      <Panel title="Statechart" class="flush">
        {access.may('inspect:get', 'actors') ? (
          <ActorPanel id={entityActor(namespace, name)} compact />
        ) : (
          <NoStatechart />
        )}
      </Panel>
    </>
  );
};

const entityFacts = (entity: Entity): [string, preact.ComponentChildren][] => [
  ['last seen', <Ago key="seen" at={entity.last_seen} />],
  ['subscriptions', <Tags key="subscriptions" words={entity.subscriptions ?? []} />],
  ['agent', entity.mon_agent_version || 'none'],
  ['when it is silent', entity.deregister === true ? 'is deregistered' : 'stays, and is told of'],
  ...pairs('label', entity.metadata.labels),
  ...pairs('annotation', entity.metadata.annotations),
];

const pairs = (
  kind: string,
  found: Readonly<Record<string, string>> | null | undefined,
): [string, string][] => Object.entries(found ?? {}).map(([name, value]) => [`${kind} ${name}`, value]);

const Tags = ({ words }: { words: readonly string[] }) =>
  words.length === 0 ? (
    <>none</>
  ) : (
    <span class="tags">
      {words.map((word) => (
        <span key={word} class="tag">
          {word}
        </span>
      ))}
    </span>
  );

const SystemFacts = ({ system }: { system: EntitySystem }) => (
  <>
    <Facts
      rows={[
        ['host name', system.hostname || 'unknown'],
        [
          'system',
          [system.os, system.platform, system.platform_version].filter(Boolean).join(' ') || 'unknown',
        ],
        [
          'machine',
          [system.arch, system.vm_system, system.cloud_provider].filter(Boolean).join(', ') || 'unknown',
        ],
        ...(system.network?.interfaces ?? []).map((one): [string, string] => [
          one.name,
          (one.addresses ?? []).join(', ') || 'no address',
        ]),
      ]}
    />
    <details class="raw">
      <summary class="dim">all of it</summary>
      <Json value={system} />
    </details>
  </>
);
