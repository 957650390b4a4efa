// A machine by itself: its chart, and what each state and event means, in words.
import { useSignal } from '@preact/signals';
import { Statechart } from '../chart/statechart.tsx';
import { href } from '../lib/router.ts';
import { saveJson } from '../lib/save-file.ts';
import { xstateConfigOf } from '../lib/xstate-config.ts';
import { Empty, Panel } from '../parts/bits.tsx';
import { useDrawing } from './actor-panel.tsx';
import { PickedNote } from './picked-note.tsx';

const nothing: ReadonlySet<string> = new Set();

export const MachinePage = ({ id }: { id: string }) => {
  const drawing = useDrawing(id);
  const picked = useSignal<{ state?: string; transition?: string }>({});
  if (drawing === null) return <Empty>There is no drawing of a machine “{id}”.</Empty>;
  if (drawing === undefined) return <Empty>Looking…</Empty>;
  const { graph } = drawing;
  return (
    <>
      <header class="page-head">
        <div>
          <p class="crumbs">
            <a href={href('/actors?as=machines')}>Machines</a>
          </p>
          <h1>{graph.id}</h1>
          <p class="dim">{graph.title}</p>
        </div>
        <div class="row">
          <a href={href(`/actors?machine=${graph.id}`)}>its actors</a>
          <button
            type="button"
            title="The configuration for XState's createMachine, as JSON"
            onClick={() => saveJson(`${graph.id}.machine.json`, xstateConfigOf(graph))}
          >
            Save for XState
          </button>
        </div>
      </header>
      <Statechart
        drawing={drawing}
        active={nothing}
        picked={picked.value.transition ?? picked.value.state}
        onPick={(found) => {
          picked.value = found;
        }}
      />
      <PickedNote drawing={drawing} picked={picked.value} />
      <div class="columns">
        <Panel title="States">
          <dl class="glossary">
            {graph.states.map((state) => (
              <div key={state.id}>
                <dt>{state.id.slice(graph.id.length + 1) || graph.id}</dt>
                <dd>{state.description}</dd>
              </div>
            ))}
          </dl>
        </Panel>
        <Panel title="Events">
          <dl class="glossary">
            {Object.entries(graph.events).map(([event, text]) => (
              <div key={event}>
                <dt>{event}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
        </Panel>
      </div>
    </>
  );
};
