// One actor, by id.

import type { MachineGraph } from '../../../src/http/inspect/protocol.ts';
import { inspect, usableId } from '../lib/actor-id.ts';
import { getJson } from '../lib/api.ts';
import { usePolled } from '../lib/live.ts';
import { href } from '../lib/router.ts';
import { ActorPanel } from './actor-panel.tsx';

export const ActorPage = ({ id }: { id: string }) => {
  const { family, event } = usableId(id);
  const machines = usePolled<MachineGraph[]>('machines', 600_000, () => getJson(inspect('machines')));
  const title = machines.data?.find((graph) => graph.id === family)?.title;
  return (
    <>
      <header class="page-head">
        <div>
          <p class="crumbs">
            <a href={href('/actors')}>Actors</a> / <a href={href(`/actors?machine=${family}`)}>{family}</a>
          </p>
          <h1 class="mono">{id.slice(family.length + 1)}</h1>
          {title !== undefined && <p class="dim">{title}</p>}
        </div>
        {event !== undefined && <a href={href(event)}>event page</a>}
      </header>
      <ActorPanel id={id} />
    </>
  );
};
