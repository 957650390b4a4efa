// Acknowledging incidents: who takes care, what others should know, and when handlers are reminded.

import { keyOf, type NamedEvent, namespaceOf } from '../lib/event-key.ts';
import { plural } from '../lib/format.ts';
import { jobFromEvents, startJob } from '../lib/jobs.ts';
import { attemptAll } from '../lib/notices.ts';
import type { Acknowledgement, AcknowledgementOrder } from '../lib/resources.ts';
import { acknowledge, release } from '../lib/resources.ts';
import { user } from '../lib/session.ts';
import { closeDialog, dialog } from '../parts/dialog.tsx';

const reminders = [
  [0, 'no reminder'],
  [1_800, 'every 30 minutes'],
  [3_600, 'every hour'],
  [4 * 3_600, 'every 4 hours'],
  [24 * 3_600, 'every day'],
] as const;

type Known = Pick<Acknowledgement, 'owner' | 'comment' | 'remind_every'>;

export type Incident = NamedEvent & {
  readonly check: { readonly acknowledgement?: Known | null };
};

export const acknowledgeFor = (events: readonly Incident[], onDone: () => void): void => {
  const [only] = events;
  const what = events.length === 1 && only !== undefined ? keyOf(only) : plural(events.length, 'incident');
  dialog.value = {
    title: `Acknowledge ${what}`,
    body: <AcknowledgeForm events={events} onDone={onDone} />,
  };
};

interface Props {
  readonly events: readonly Incident[];
  readonly onDone: () => void;
}

const AcknowledgeForm = ({ events, onDone }: Props) => {
  const owned = events.filter(({ check }) => check.acknowledgement);
  const known = events.length === 1 ? events[0]?.check.acknowledgement : undefined;
  const toAll = async (
    what: string,
    some: readonly Incident[],
    act: (event: NamedEvent) => Promise<unknown>,
  ): Promise<void> => {
    closeDialog();
    await attemptAll(what, some, keyOf, act);
    onDone();
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const order: AcknowledgementOrder = {
      owner: String(form.get('owner')),
      comment: String(form.get('comment')),
      remind_every: Number(form.get('remind')),
    };
    if (events.length < jobFromEvents)
      return void toAll('Acknowledged', events, (one) => acknowledge(namespaceOf(one), one, order));
    closeDialog();
    for (const namespace of new Set(events.map(namespaceOf))) {
      const those = events.filter((one) => namespaceOf(one) === namespace).map(keyOf);
      void startJob(namespace, { action: 'acknowledge', parameters: order, events: those }, onDone);
    }
  };
  const every = known?.remind_every ?? 0;
  const isOwn = !reminders.some(([seconds]) => seconds === every);
  return (
    <form class="form" onSubmit={submit}>
      <p class="dim">
        Handlers hear of changes of the status, of its end and of reminders, not of repetitions.
      </p>
      <label>
        Comment <span class="dim">what others should know; Ctrl+Enter acknowledges</span>
        <textarea
          name="comment"
          rows={3}
          maxLength={2_000}
          autofocus
          defaultValue={known?.comment ?? ''}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
              event.currentTarget.form?.requestSubmit();
          }}
        />
      </label>
      <div class="row">
        <label>
          Owner
          <input name="owner" maxLength={2_000} defaultValue={known?.owner ?? user.value ?? ''} />
        </label>
        <label>
          Remind handlers
          <select name="remind" defaultValue={String(every)}>
            {isOwn && <option value={every}>every {every} s</option>}
            {reminders.map(([seconds, text]) => (
              <option key={seconds} value={seconds} selected={seconds === every}>
                {text}
              </option>
            ))}
          </select>
        </label>
      </div>
      <div class="row end">
        {owned.length > 0 && (
          <button
            type="button"
            class="danger"
            onClick={() => void toAll('Released', owned, (one) => release(namespaceOf(one), one))}
          >
            Release{owned.length < events.length && ` ${owned.length.toLocaleString('en')}`}
          </button>
        )}
        <button type="button" onClick={closeDialog}>
          Cancel
        </button>
        <button type="submit" class="primary">
          Acknowledge
        </button>
      </div>
    </form>
  );
};
