// Bulk jobs: what the backend does to many events. They go on when the page is left; one that comes back sees how far they are.
import { signal } from '@preact/signals';
import { encode, getJson, inspect, postJson, send } from './api.ts';
import { plural } from './format.ts';
import { attempt, notify } from './notices.ts';
import { user } from './session.ts';

type JobAction = 'resolve' | 'acknowledge' | 'silence' | 'rerun' | 'delete';

export interface Job {
  readonly id: string;
  readonly namespace: string;
  readonly action: JobAction;
  readonly state: 'waiting' | 'running' | 'done' | 'canceled';
  readonly by: string;
  readonly total: number;
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
  readonly errors: readonly { readonly event: string; readonly why: string }[];
  /** Unix seconds; 0 before the end. */
  readonly ended_at: number;
}

interface JobOrder {
  readonly action: JobAction;
  /** What the list of events is asked for. */
  readonly question?: Record<string, string>;
  /** `entity/check` */
  readonly events?: readonly string[];
  readonly parameters?: object;
}

/** From so many on the backend does it. */
export const jobFromEvents = 50;

/** Those that wait or run. */
export const jobs = signal<readonly Job[]>([]);

const pollMs = 700;
const followed = new Set<string>();

const past: Readonly<Record<JobAction, string>> = {
  resolve: 'Resolved',
  acknowledge: 'Acknowledged',
  silence: 'Silenced',
  rerun: 'Asked to run again:',
  delete: 'Deleted',
};
const present: Readonly<Record<JobAction, string>> = {
  resolve: 'Resolving',
  acknowledge: 'Acknowledging',
  silence: 'Silencing',
  rerun: 'Running again',
  delete: 'Deleting',
};

export const jobText = ({ action, state, total, done, skipped, failed }: Job): string =>
  state === 'waiting'
    ? `${present[action]} ${plural(total, 'event')} in a moment`
    : `${present[action]} ${(done + skipped + failed).toLocaleString('en')} of ${plural(total, 'event')}`;

const pathOf = (namespace: string, id = ''): string =>
  inspect(`namespaces/${encode(namespace)}/jobs${id === '' ? '' : `/${encode(id)}`}`);

const tell = ({ action, state, done, total, failed, errors }: Job): void => {
  const what = `${past[action]} ${done.toLocaleString('en')} of ${plural(total, 'event')}`;
  const [first] = errors;
  if (state === 'canceled') notify('done', `Canceled: ${what.toLowerCase()}`);
  else if (first !== undefined)
    notify('failed', `${what}; ${failed.toLocaleString('en')} failed. ${first.event}: ${first.why}`);
  else notify('done', what);
};

const place = (job: Job): void => {
  const isKnown = jobs.value.some(({ id }) => id === job.id);
  jobs.value = isKnown ? jobs.value.map((one) => (one.id === job.id ? job : one)) : [...jobs.value, job];
};

const follow = (job: Job, onDone: () => void): void => {
  if (followed.has(job.id)) return;
  followed.add(job.id);
  place(job);
  const look = async (): Promise<void> => {
    try {
      const now = await getJson<Job>(pathOf(job.namespace, job.id));
      place(now);
      if (now.ended_at === 0) return void setTimeout(look, pollMs);
      tell(now);
    } catch (error) {
      // The backend is away: the job goes on when it is back.
      if (!(error instanceof Error) || !/not found|no job/i.test(error.message))
        return void setTimeout(look, pollMs * 4);
    }
    followed.delete(job.id);
    jobs.value = jobs.value.filter(({ id }) => id !== job.id);
    onDone();
  };
  setTimeout(look, pollMs);
};

/** Starts a job and shows how far it is. False when it was refused, which was said. */
export const startJob = (
  namespace: string,
  { action, question = {}, events, parameters = {} }: JobOrder,
  onDone: () => void,
): Promise<boolean> =>
  attempt(present[action], async () => {
    const body = { action, parameters, ...(events === undefined ? {} : { events }) };
    const query = new URLSearchParams(question);
    follow(await postJson<Job>(`${pathOf(namespace)}?${query}`, body), onDone);
  });

/** Jobs of this person that are under way, such as those of a page that was left. */
export const findJobs = async (namespace: string, onDone: () => void): Promise<void> => {
  const found = await getJson<readonly Job[]>(pathOf(namespace)).catch(() => []);
  for (const job of found) if (job.ended_at === 0 && job.by === user.value) follow(job, onDone);
};

export const cancelJob = ({ namespace, id }: Job): Promise<unknown> =>
  attempt('Canceled', () => send('DELETE', pathOf(namespace, id)));
