// Touching a live actor: send, pause, restart, stop. Shown only where the backend allows it; each use asks once and is audited.
import { useSignal } from '@preact/signals';
import { encode, inspect, send } from '../lib/api.ts';
import { attempt, notify } from '../lib/notices.ts';
import { Panel } from '../parts/bits.tsx';

export interface ControlBoxProps {
  readonly id: string;
  readonly isPaused: boolean;
  readonly canControl: boolean;
}

export const ControlBox = ({ id, isPaused, canControl }: ControlBoxProps) => {
  const event = useSignal('{"type": ""}');
  if (!canControl)
    return (
      <p class="hint">
        Looking only. Sending events, pausing, restarting and stopping need the right{' '}
        <code>inspect:control</code> and a backend started with <code>--inspect-control</code>.
      </p>
    );
  const post = (action: string, what: string, body: unknown = {}): Promise<boolean> =>
    attempt(what, () => send('POST', inspect(`actors/${encode(id)}/${action}`), body));
  const sure = (question: string): boolean =>
    confirm(`${question}\n\n${id}\n\nThis is written to the audit log.`);
  return (
    <Panel title="Control">
      <textarea
        rows={3}
        spellcheck={false}
        aria-label="Event to send, as JSON"
        value={event.value}
        onInput={(input) => {
          event.value = input.currentTarget.value;
        }}
      />
      <div class="row">
        <button
          type="button"
          onClick={() => {
            if (sure('Send this event to the live actor?')) void attemptSend(event.value, post);
          }}
        >
          Send event
        </button>
        {isPaused ? (
          <button type="button" onClick={() => void post('resume', 'Resumed')}>
            Resume
          </button>
        ) : (
          <button
            type="button"
            title="Its mail and its deadlines wait until it goes on"
            onClick={() => {
              if (sure('Let the mail of this actor wait?')) void post('pause', 'Paused');
            }}
          >
            Pause
          </button>
        )}
        <button
          type="button"
          onClick={() => {
            if (sure('Restart this actor from its last durable state?')) void post('restart', 'Restarted');
          }}
        >
          Restart
        </button>
        <button
          type="button"
          class="danger"
          onClick={() => {
            if (sure('Stop this actor?')) void post('stop', 'Stopped');
          }}
        >
          Stop
        </button>
      </div>
    </Panel>
  );
};

type Post = (action: string, what: string, body: unknown) => Promise<boolean>;

const attemptSend = async (text: string, post: Post): Promise<void> => {
  try {
    await post('send', 'Sent', { event: JSON.parse(text) as unknown });
  } catch (error) {
    notify('failed', `The event is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
};
