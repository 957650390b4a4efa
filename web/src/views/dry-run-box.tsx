// "What would happen if this event came now": pick an event, fill it in, see each guard's answer. Nothing is sent.
import { useSignal } from '@preact/signals';
import type { ActorView, DryRun } from '../../../src/http/inspect/protocol.ts';
import { stateWords } from '../../../src/http/inspect/state-value.ts';
import { draftEvent } from '../../../src/machines/draft-event.ts';
import type { Drawing } from '../chart/load-chart.ts';
import { encode, inspect, postJson } from '../lib/api.ts';
import { now } from '../lib/clock.ts';
import { Problem } from '../parts/bits.tsx';
import { Candidates } from './candidates.tsx';
import { DiffList } from './diff-list.tsx';

interface Props {
  readonly id: string;
  readonly view: ActorView;
  readonly drawing: Drawing | undefined;
  readonly result: DryRun | undefined;
  readonly onResult: (result: DryRun | undefined) => void;
}

export const DryRunBox = ({ id, view, drawing, result, onResult }: Props) => {
  const text = useSignal('');
  const problem = useSignal<string | undefined>(undefined);
  const run = async (source: string): Promise<void> => {
    problem.value = undefined;
    try {
      const event: unknown = JSON.parse(source);
      onResult(await postJson<DryRun>(inspect(`actors/${encode(id)}/dry-run`), { event }));
    } catch (error) {
      onResult(undefined);
      problem.value = error instanceof Error ? error.message : String(error);
    }
  };
  const choose = (type: string): void => {
    text.value = JSON.stringify(draftEvent(type, view.context, view.deadlines, now.value), null, 2);
    void run(text.value);
  };
  return (
    <div class="dry-run">
      <div class="next-events">
        {view.next.map(({ event }) => (
          <button
            key={event}
            type="button"
            class="event-button"
            title={drawing?.graph.events[event]}
            onClick={() => choose(event)}
          >
            {event}
          </button>
        ))}
        {view.next.length === 0 && <span class="dim">It acts on nothing from here.</span>}
      </div>
      {text.value !== '' && (
        <>
          <textarea
            rows={Math.min(9, text.value.split('\n').length)}
            spellcheck={false}
            aria-label="Event as JSON"
            value={text.value}
            onInput={(event) => {
              text.value = event.currentTarget.value;
            }}
          />
          <div class="row">
            <button type="button" class="primary" onClick={() => run(text.value)}>
              Try it
            </button>
            <button
              type="button"
              onClick={() => {
                text.value = '';
                onResult(undefined);
              }}
            >
              Back to live
            </button>
            <span class="dim">nothing is sent</span>
          </div>
        </>
      )}
      {problem.value !== undefined && <Problem text={problem.value} />}
      {result !== undefined && <Outcome result={result} />}
    </div>
  );
};

const Outcome = ({ result }: { result: DryRun }) => (
  <div class="outcome">
    {result.error !== undefined && <Problem text={`The actor would crash: ${result.error}`} />}
    <p>
      {result.changed ? (
        <>
          It would be in{' '}
          {stateWords(result.to).map((word) => (
            <code key={word}>{word}</code>
          ))}
        </>
      ) : (
        'Nothing would happen.'
      )}
    </p>
    <Candidates list={result.candidates} />
    {result.actions.length > 0 && <p class="did">would do: {result.actions.join(' · ')}</p>}
    {result.diff.length > 0 && <DiffList entries={result.diff} />}
  </div>
);
