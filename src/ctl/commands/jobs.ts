// Bulk jobs: starts one and waits for it, lists and cancels them.
import { setTimeout as pause } from 'node:timers/promises';
import type { Work } from '../command.ts';
import { CtlError, SaidError } from '../failure.ts';
import { jobPollMs } from '../limits.ts';
import { asJson } from '../output/documents.ts';
import { details, table } from '../output/table.ts';
import { timestamp } from '../output/values.ts';
import { confirm } from '../prompt.ts';
import type { Session } from '../session.ts';

interface Job {
  readonly id: string;
  readonly action: string;
  readonly state: string;
  readonly by: string;
  readonly total: number;
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
  readonly errors: readonly { readonly event: string; readonly why: string }[];
  readonly created_at: number;
  readonly begins_at: number;
  readonly ended_at: number;
  readonly canceled_by: string;
}

const jobActions = ['resolve', 'acknowledge', 'silence', 'rerun', 'delete'] as const;
/** What there is nothing to do about when a check passes. */
const ofIncidents: readonly string[] = ['resolve', 'acknowledge'];

const pathOf = ({ settings }: Session, id = ''): string =>
  `/api/inspect/v1/namespaces/${encodeURIComponent(settings.namespace)}/jobs${id === '' ? '' : `/${encodeURIComponent(id)}`}`;

const word = ({ given }: Session, flag: string): string => {
  const value = given[flag];
  return typeof value === 'string' ? value : '';
};

const isOn = (session: Session, flag: string): boolean => word(session, flag) === 'true';

const read = async (session: Session, id: string): Promise<Job> =>
  JSON.parse((await (await session.api()).ask('GET', pathOf(session, id))).text) as Job;

const parametersOf = (session: Session, action: string): Record<string, unknown> => {
  const [comment, owner, reason, expire] = ['comment', 'owner', 'reason', 'expire'].map((name) =>
    word(session, name),
  );
  if (action === 'acknowledge') return { comment, owner };
  if (action !== 'silence') return {};
  if (reason === '') throw new CtlError('must specify --reason');
  if (expire !== '' && !/^-?\d+$/.test(expire ?? ''))
    throw new CtlError(`--expire must be a number of seconds (got "${expire}")`);
  return { reason, ...(expire === '' ? {} : { expire: Number(expire) }) };
};

const told = ({ total, done, skipped, failed }: Job): string => {
  const parts = [`${done} of ${total} done`];
  if (skipped > 0) parts.push(`${skipped} had nothing to do`);
  if (failed > 0) parts.push(`${failed} failed`);
  return parts.join(', ');
};

/** Waits for the end and says what came out. Throws when something failed. */
const awaitJob = async (session: Session, started: Job): Promise<void> => {
  const waitsFor = started.begins_at - started.created_at;
  session.note(
    `job ${started.id}: ${started.action} ${started.total} events${waitsFor > 0 ? `, begins in ${waitsFor} s` : ''}; to stop it: mon-ctl job cancel ${started.id}`,
  );
  let job = started;
  while (job.ended_at === 0) {
    await pause(jobPollMs);
    job = await read(session, job.id);
  }
  for (const { event, why } of job.errors) session.note(`${event}: ${why}`);
  if (job.state === 'canceled') throw new CtlError(`canceled by ${job.canceled_by}: ${told(job)}`);
  session.print(told(job));
  if (job.failed > 0) throw new SaidError();
};

/** Does one thing to all events that match the selectors of the command line. */
export const runJob = async (session: Session, action: string): Promise<void> => {
  if (!(jobActions as readonly string[]).includes(action))
    throw new CtlError(`the action must be one of ${jobActions.join(', ')} (got "${action}")`);
  const body = { action, parameters: parametersOf(session, action) };
  const query = {
    ...(ofIncidents.includes(action) ? { state: 'failing' } : {}),
    fieldSelector: word(session, 'field-selector'),
    labelSelector: word(session, 'label-selector'),
  };
  const which =
    query.fieldSelector === '' && query.labelSelector === '' ? 'all events' : 'all events that match';
  const where = `in namespace "${session.settings.namespace}"`;
  if (!(await confirm(session, `Are you sure you would like to ${action} ${which} ${where}?`)))
    return session.print('Canceled');
  const path = `${pathOf(session)}?${new URLSearchParams(query)}`;
  const job = JSON.parse((await (await session.api()).ask('POST', path, { body })).text) as Job;
  if (isOn(session, 'detach')) return session.print(job.id);
  await awaitJob(session, job);
};

export const startJob: Work = (session, [action = '']) => runJob(session, action);

export const listJobs: Work = async (session) => {
  const jobs = JSON.parse((await (await session.api()).ask('GET', pathOf(session))).text) as readonly Job[];
  if (session.settings.format !== 'tabular') return session.print(asJson(jobs));
  const rows = jobs.map((job) => [
    job.id,
    job.action,
    job.state,
    `${job.done + job.skipped + job.failed}/${job.total}`,
    String(job.failed),
    job.by,
    timestamp(job.created_at),
  ]);
  session.print(table(['Job', 'Action', 'State', 'Progress', 'Failed', 'By', 'Started'], rows, session.look));
};

export const showJob: Work = async (session, [id = '']) => {
  const job = await read(session, id);
  if (session.settings.format !== 'tabular') return session.print(asJson(job));
  const rows = [
    ['Action', job.action],
    ['State', job.canceled_by === '' ? job.state : `${job.state} by ${job.canceled_by}`],
    ['By', job.by],
    ['Started', timestamp(job.created_at)],
    ['Result', told(job)],
    ['Errors', job.errors.map(({ event, why }) => `${event}: ${why}`).join('\n')],
  ] as const;
  session.print(details(job.id, rows, session.look));
};

export const cancelJob: Work = async (session, [id = '']) => {
  await (await session.api()).ask('DELETE', pathOf(session, id));
  session.print('Canceled');
};
