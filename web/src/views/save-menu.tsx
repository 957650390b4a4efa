// What can be taken away from an actor's page: the recording for this page, or for the tools of XState's makers.
import type { ActorView, Frame } from '../../../src/http/inspect/protocol.ts';
import type { Drawing } from '../chart/load-chart.ts';
import { fileNameOf, recordingOf } from '../lib/recording.ts';
import { saveJson } from '../lib/save-file.ts';
import { statelyEventsOf } from '../lib/stately-events.ts';
import { xstateConfigOf } from '../lib/xstate-config.ts';
import { Menu } from '../parts/menu.tsx';

interface Props {
  readonly view: ActorView;
  readonly frames: readonly Frame[];
  readonly drawing: Drawing | undefined;
}

export const SaveMenu = ({ view, frames, drawing }: Props) => {
  const recording = () => recordingOf(view, frames, Date.now());
  const saveEvents = (graph: Drawing['graph']): void => {
    const taken = recording();
    saveJson(fileNameOf(taken).replace(/json$/, 'stately.json'), statelyEventsOf(taken, graph));
  };
  return (
    <Menu label="Save…">
      <button type="button" onClick={() => saveJson(fileNameOf(recording()), recording())}>
        Recording <span class="dim">opens again on this page</span>
      </button>
      {drawing !== undefined && (
        <>
          <button type="button" onClick={() => saveEvents(drawing.graph)}>
            Events for Stately <span class="dim">as its inspector sends them</span>
          </button>
          <button
            type="button"
            onClick={() => saveJson(`${drawing.graph.id}.machine.json`, xstateConfigOf(drawing.graph))}
          >
            Machine for XState <span class="dim">configuration for createMachine</span>
          </button>
        </>
      )}
    </Menu>
  );
};
