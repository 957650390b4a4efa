// Where notices are shown.
import { now } from '../lib/clock.ts';
import { useShortcuts } from '../lib/keys.ts';
import { dismiss, notices } from '../lib/notices.ts';
import { doNow, undo, type Waiting, waiting } from '../lib/undo.ts';

const signs = { done: '✓', failed: '✕', busy: '…' } as const;

const WaitingBar = ({ one }: { one: Waiting }) => {
  void now.value;
  const left = Math.max(0, Math.ceil((one.atMs - Date.now()) / 1000));
  return (
    <div class="notice waiting">
      <span>
        {one.what} in <span class="num">{left} s</span>
      </span>
      <button type="button" class="primary" onClick={() => undo(one.id)}>
        Undo <kbd>u</kbd>
      </button>
      <button type="button" onClick={() => doNow(one.id)}>
        Now
      </button>
    </div>
  );
};

export const Notices = () => {
  const last = waiting.value.at(-1);
  useShortcuts(last === undefined ? [] : [{ keys: 'u', what: last.what, run: () => undo(last.id) }]);
  return (
    <div class="notices" role="status">
      {waiting.value.map((one) => (
        <WaitingBar key={one.id} one={one} />
      ))}
      {notices.value.map((notice) => (
        <button key={notice.id} type="button" class={notice.kind} onClick={() => dismiss(notice.id)}>
          <span aria-hidden="true">{signs[notice.kind]}</span> {notice.text}
        </button>
      ))}
    </div>
  );
};
