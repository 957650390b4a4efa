// A recording opened later: the same chart, time line and transitions as on the actor's page, and nothing is asked of
// the backend.
import { useSignal } from '@preact/signals';
import type { ActorFeed } from '../lib/actor-feed.ts';
import { dateTime } from '../lib/format.ts';
import { type Recording, readRecording } from '../lib/recording.ts';
import { Empty, Problem } from '../parts/bits.tsx';
import { ActorPanelOf } from './actor-panel.tsx';

const feedOf = ({ view, frames }: Recording): ActorFeed => ({
  view: { ...view, deadlines: [] },
  frames,
  isLive: false,
  problem: undefined,
  lost: 0,
  reload: () => undefined,
});

export const OpenPage = () => {
  const found = useSignal<Recording | undefined>(undefined);
  const problem = useSignal('');
  const read = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    try {
      found.value = readRecording(await file.text());
      problem.value = '';
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error);
    }
  };
  const recording = found.value;
  return (
    <>
      <header class="page-head">
        <div>
          <p class="crumbs">Recording</p>
          <h1 class={recording === undefined ? '' : 'mono'}>{recording?.actor ?? 'Open a recording'}</h1>
          {recording !== undefined && <p class="dim">saved {dateTime(recording.savedAtMs)}</p>}
        </div>
        <input
          type="file"
          accept=".json,application/json"
          aria-label="File of a recording"
          onChange={(event) => void read(event.currentTarget.files?.[0])}
        />
      </header>
      {problem.value !== '' && <Problem text={problem.value} />}
      {recording === undefined ? (
        <Empty>Choose a file that was saved with “Save…”, “Recording” on the page of an actor.</Empty>
      ) : (
        <ActorPanelOf
          key={`${recording.actor}/${recording.savedAtMs}`}
          id={recording.actor}
          feed={feedOf(recording)}
          recorded
        />
      )}
    </>
  );
};
