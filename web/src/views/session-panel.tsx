// Whether the agent of an entity is connected to this backend, since when, and as whom.
import type { ActorPage, ActorView } from '../../../src/http/inspect/protocol.ts';
import { encode, getJson, inspect } from '../lib/api.ts';
import { now } from '../lib/clock.ts';
import { duration } from '../lib/format.ts';
import { usePolled } from '../lib/live.ts';
import { href } from '../lib/router.ts';
import { Empty, Facts, Panel, Problem } from '../parts/bits.tsx';

interface SessionContext {
  readonly user?: string;
  readonly connectedAtMs?: number;
}

const everyMs = 5_000;

export const SessionPanel = ({ namespace, entity }: { namespace: string; entity: string }) => {
  const prefix = `session:${namespace}/${entity}#`;
  const found = usePolled<readonly ActorView[]>(prefix, everyMs, async () => {
    const page = await getJson<ActorPage>(inspect(`actors?limit=5&prefix=${encode(prefix)}`));
    return Promise.all(page.items.map(({ id }) => getJson<ActorView>(inspect(`actors/${encode(id)}`))));
  });
  return (
    <Panel title="Session" aside={found.data?.[0] && <SessionLink view={found.data[0]} />}>
      {found.error !== undefined && <Problem text={found.error} />}
      {found.data?.length === 0 && <Empty>No agent is connected to this backend under this name.</Empty>}
      {found.data?.map((view) => (
        <Session key={view.row.id} view={view} />
      ))}
    </Panel>
  );
};

const SessionLink = ({ view }: { view: ActorView }) => (
  <a href={href(`/actor/${encode(view.row.id)}`)}>open actor</a>
);

const Session = ({ view }: { view: ActorView }) => {
  const { user, connectedAtMs } = view.context as SessionContext;
  return (
    <Facts
      rows={[
        ['state', <code key="state">{String(view.row.value)}</code>],
        ['connected for', connectedAtMs === undefined ? '…' : duration((now.value - connectedAtMs) / 1000)],
        ['as user', user ?? '…'],
        ['messages', view.row.handled.toLocaleString('en')],
      ]}
    />
  );
};
