// Where notices are shown.
import { now } from '../lib/clock.ts';
import { cancelJob, type Job, jobs, jobText } from '../lib/jobs.ts';
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

const JobBar = ({ job }: { job: Job }) => (
  <div class="notice waiting">
    <span>
      {jobText(job)}
      <progress max={job.total} value={job.done + job.skipped + job.failed} />
    </span>
    <button type="button" class="primary" onClick={() => void cancelJob(job)}>
      {job.state === 'waiting' ? 'Undo' : 'Stop'} <kbd>u</kbd>
    </button>
  </div>
);

/** What can be taken back: the last of what waits here, or of the jobs of the backend. */
const useUndo = (): void => {
  const last = waiting.value.at(-1);
  const job = jobs.value.at(-1);
  if (last !== undefined) return useShortcuts([{ keys: 'u', what: last.what, run: () => undo(last.id) }]);
  useShortcuts(job === undefined ? [] : [{ keys: 'u', what: jobText(job), run: () => void cancelJob(job) }]);
};

export const Notices = () => {
  useUndo();
  return (
    <div class="notices" role="status">
      {waiting.value.map((one) => (
        <WaitingBar key={one.id} one={one} />
      ))}
      {jobs.value.map((job) => (
        <JobBar key={job.id} job={job} />
      ))}
      {notices.value.map((notice) => (
        <button key={notice.id} type="button" class={notice.kind} onClick={() => dismiss(notice.id)}>
          <span aria-hidden="true">{signs[notice.kind]}</span> {notice.text}
        </button>
      ))}
    </div>
  );
};
