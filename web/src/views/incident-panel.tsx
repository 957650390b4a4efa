// Who takes care of an incident since when, and what people noted about it.

import { now } from '../lib/clock.ts';
import { dateTime, duration } from '../lib/format.ts';
import { attempt } from '../lib/notices.ts';
import type { MonEvent } from '../lib/resources.ts';
import { addNote } from '../lib/resources.ts';
import { Ago, Panel } from '../parts/bits.tsx';

interface Props {
  readonly namespace: string;
  readonly event: MonEvent;
  readonly mayWrite: boolean;
  readonly onAcknowledge: () => void;
  readonly onDone: () => void;
}

export const IncidentPanel = ({ namespace, event, mayWrite, onAcknowledge, onDone }: Props) => {
  const { acknowledgement, incident_notes: notes } = event.check;
  const submit = async (submitted: SubmitEvent): Promise<void> => {
    submitted.preventDefault();
    const form = submitted.currentTarget as HTMLFormElement;
    const text = String(new FormData(form).get('text')).trim();
    if (text === '') return;
    if (!(await attempt('Noted', () => addNote(namespace, event, text)))) return;
    form.reset();
    onDone();
  };
  return (
    <Panel title="Incident" class="incident">
      {acknowledgement ? (
        <p>
          <b>
            <bdi>{acknowledgement.owner}</bdi>
          </b>{' '}
          takes care of it, acknowledged <Ago at={acknowledgement.at} />
          {acknowledgement.by !== acknowledgement.owner && (
            <>
              {' '}
              by <bdi>{acknowledgement.by}</bdi>
            </>
          )}
          {acknowledgement.comment !== '' && (
            <q>
              <bdi>{acknowledgement.comment}</bdi>
            </q>
          )}
          {acknowledgement.remind_at > 0 && (
            <span class="dim" title={dateTime(acknowledgement.remind_at * 1000)}>
              {' '}
              Handlers are reminded in {duration(acknowledgement.remind_at - now.value / 1000)}
              {acknowledgement.reminders > 0 && `, for the ${ordinal(acknowledgement.reminders + 1)} time`}.
            </span>
          )}{' '}
        </p>
      ) : (
        <p class="dim">Nobody takes care of it.</p>
      )}
      {mayWrite && (
        <button type="button" onClick={onAcknowledge} title="o">
          {acknowledgement ? 'Change or release…' : 'Acknowledge…'}
        </button>
      )}
      {(notes ?? []).length > 0 && (
        <ol class="notes" aria-label="Notes">
          {(notes ?? []).map((note, index) => (
            <li key={`${note.at}-${index}`}>
              <bdi>
                <b>{note.by}</b>
              </bdi>{' '}
              <span class="dim" title={dateTime(note.at * 1000)}>
                <Ago at={note.at} />
              </span>
              <p dir="auto">{note.text}</p>
            </li>
          ))}
        </ol>
      )}
      {mayWrite && (
        <form class="note-form" onSubmit={(submitted) => void submit(submitted)}>
          <input name="text" aria-label="Note" maxLength={2_000} placeholder="Add a note" />
          <button type="submit">Add</button>
        </form>
      )}
    </Panel>
  );
};

const ordinal = (count: number): string =>
  `${count}${count % 100 > 10 && count % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th')}`;
