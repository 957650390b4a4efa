// Where notices are shown.
import { dismiss, notices } from '../lib/notices.ts';

const signs = { done: '✓', failed: '✕', busy: '…' } as const;

export const Notices = () => (
  <div class="notices" role="status">
    {notices.value.map((notice) => (
      <button key={notice.id} type="button" class={notice.kind} onClick={() => dismiss(notice.id)}>
        <span aria-hidden="true">{signs[notice.kind]}</span> {notice.text}
      </button>
    ))}
  </div>
);
